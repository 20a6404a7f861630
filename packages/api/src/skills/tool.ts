import { RecordedTier } from '@ambit/core/policy';
import { z } from 'zod';

/** A skill as a tool of a model. */
export const ModelTool = z
  .strictObject({
    name: z
      .string()
      .describe(
        "The skill's id with `__` in place of `:`, which providers refuse, and at most 64 characters.",
      ),
    skill: z.string().describe('The id to call it by.'),
    description: z.string().describe('For a model: one line, escaped, with a mark for an untrusted skill.'),
    inputSchema: z
      .record(z.string(), z.unknown())
      .describe(
        'A JSON Schema of an object. Its titles and descriptions are for a model, like the description of the tool.',
      ),
    takes: z
      .enum(['input', 'wrapped', 'command'])
      .describe(
        'How the arguments are sent. `input`: as the `input` of a call. `wrapped`: send the field `input` of the arguments as `input`. `command`: as the body of a call (`input`, `args`, `stdin`, `stdinBase64`, `files`, `script`).',
      ),
    readOnly: z.boolean().describe('Requests no capability that can change anything.'),
    openWorld: z.boolean().describe('Requests network access.'),
    tier: RecordedTier,
    digest: z.string().describe('`sha256:…` of its files.'),
  })
  .meta({ id: 'ModelTool', description: 'A skill as a tool of a model.' });
export type ModelTool = z.output<typeof ModelTool>;

/** The skills that a model can be offered as tools. */
export const ToolList = z
  .strictObject({
    tools: z.array(ModelTool).readonly(),
    leftOut: z
      .array(z.strictObject({ skill: z.string(), why: z.string() }))
      .readonly()
      .describe('Executable skills that are not offered.'),
    next: z.string().nullable().describe('Pass it as `after` to get the next page; `null` on the last page.'),
  })
  .meta({ id: 'ToolList', description: 'The skills that a model can be offered as tools.' });
export type ToolList = z.output<typeof ToolList>;
