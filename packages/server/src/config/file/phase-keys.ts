import { z } from 'zod';

/** Names of tools or skills. */
export const Names = z.array(z.string().min(1));

/** The keys of `phases` in a configuration file, by the name of the phase. */
export const Phases = z
  .record(
    z.string().regex(/\S/, 'write a name for the phase'),
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
          message: `the same phase as ${first}, because names ignore case; remove one of them`,
        });
      seen.set(plain, name);
    }
  });
