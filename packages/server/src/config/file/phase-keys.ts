import { z } from 'zod';

/** Names of tools or skills. */
export const Names = z.array(z.string().min(1));

/** What a configuration file may say under `phases`, by a phase's name. */
export const Phases = z
  .record(
    z.string().regex(/\S/, 'name the phase'),
    z.strictObject({ tools: Names.default([]), required: Names.default([]), skills: Names.default([]) }),
  )
  .superRefine((phases, context) => {
    const seen = new Map<string, string>();
    for (const name of Object.keys(phases)) {
      const plain = name.trim().toLowerCase();
      const first = seen.get(plain);
      if (first !== undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `phases are compared without case, so this is ${first} once more; write one of them`,
        });
      seen.set(plain, name);
    }
  });
