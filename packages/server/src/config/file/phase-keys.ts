import { z } from 'zod';

/** Names of tools or skills. */
export const Names = z.array(z.string().min(1));

const ToolNames = Names.refine(
  (names) => !names.includes('*'),
  '"*" is not the name of a tool; for every tool of the agent, write tools: all',
);

/** The keys of `phases` in a configuration file, by the name of the phase. */
export const Phases = z
  .record(
    z.string().regex(/\S/, 'write a name for the phase'),
    z.strictObject({
      tools: z.union([z.literal('all'), ToolNames], 'write a list of tools, or all').default([]),
      required: ToolNames.default([]),
      skills: Names.default([]),
    }),
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
