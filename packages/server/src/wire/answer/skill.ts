import { z } from 'zod';
import { AnsweredCapabilities, AnsweredTier, AnsweredWishes } from './capability.ts';

const summary = {
  id: z.string().describe('What it is called by; of one skill alone.'),
  name: z.string(),
  description: z
    .string()
    .describe(
      'What it does and when to use it, exactly as its author wrote it; in a list at most 1024 characters. Not disarmed for models.',
    ),
  version: z.string().nullable().describe('`null` when its sidecar has none.'),
  tier: AnsweredTier,
  digest: z.string().describe('`sha256:…` over its files.'),
  executable: z.boolean().describe('Whether there is anything to run.'),
  warnings: z.array(z.string()).readonly(),
};

/** A skill as a listing shows it. */
export const SkillSummary = z
  .strictObject(summary)
  .meta({ id: 'SkillSummary', description: 'A skill as a listing shows it.' });
export type SkillSummary = z.output<typeof SkillSummary>;

const Schema = z
  .union([z.boolean(), z.record(z.string(), z.unknown())])
  .nullable()
  .describe('A JSON Schema (2020-12); `null`: anything goes.');

/** How to call a skill, and what it asks for. */
export const RunView = z
  .strictObject({
    runtime: z.enum(['process', 'wasm']),
    protocol: z
      .enum(['json', 'command'])
      .describe('`json` is called with `input`, `command` with `args` and `stdin`.'),
    input: Schema,
    output: Schema,
    capabilities: AnsweredCapabilities,
    limits: AnsweredWishes,
  })
  .meta({ id: 'Run', description: 'How a skill is called, and what it asks for.' });
export type RunView = z.output<typeof RunView>;

const files = z
  .array(
    z
      .strictObject({
        path: z.string().describe("Relative to the skill's folder."),
        bytes: z.number(),
        sha256: z.string().describe('Of the content, hex; of a link, of where it leads.'),
      })
      .meta({ id: 'SkillFile', description: 'A file of a skill.' }),
  )
  .readonly();

/** What a skill's folder holds. */
export const SkillFiles = z
  .strictObject({ digest: summary.digest, files: files.describe('In order of path.') })
  .meta({ id: 'SkillFiles', description: 'The files of a skill, all of them.' });
export type SkillFiles = z.output<typeof SkillFiles>;

/** A skill with all that a caller needs to call it; not its body, and not where it lies. */
export const SkillDetail = z
  .strictObject({
    ...summary,
    license: z.string().nullable().describe('As its `SKILL.md` says; `null` when it says nothing.'),
    compatibility: z
      .string()
      .nullable()
      .describe('What its `SKILL.md` says that it needs; `null` when it says nothing.'),
    allowedTools: z
      .array(z.string())
      .readonly()
      .describe('`allowed-tools` of its `SKILL.md`. For information: nothing is granted by it.'),
    files,
    scripts: z
      .array(
        z.strictObject({
          path: z.string(),
          interpreter: z
            .string()
            .nullable()
            .describe('The program that runs it; `null` for a compiled program.'),
        }),
      )
      .readonly()
      .describe(
        'What can be called with `script` beside the entries: each has its interpreter and a workspace, and takes `args` and `stdin`.',
      ),
    run: RunView.nullable().describe(
      'What is called without `script`; `null` for a skill whose sidecar has no `run.entry`.',
    ),
    entries: z
      .array(
        z.strictObject({
          name: z.string().describe('What `script` takes.'),
          description: z.string().nullable(),
          entry: z.string().describe('Its file.'),
          run: RunView,
        }),
      )
      .readonly()
      .describe('The `run.scripts` of its sidecar.'),
  })
  .meta({ id: 'SkillDetail', description: 'A skill with all that a caller needs to call it.' });
export type SkillDetail = z.output<typeof SkillDetail>;

/** A page of the catalog, as far as a key sees it. */
export const SkillList = z
  .strictObject({
    skills: z.array(SkillSummary).readonly(),
    broken: z
      .array(
        z.strictObject({
          id: z.string().describe("The folder's name."),
          root: z.string(),
          problem: z.string().describe('What is wrong and what to do.'),
        }),
      )
      .readonly()
      .describe(
        'Folders that were meant to be skills and cannot be used: up to 1000 on the first page, none on the others.',
      ),
    brokenCount: z.int().describe('How many of those there are in all.'),
    next: z.string().nullable().describe('What `after` takes for the next page; `null`: this was the last.'),
  })
  .meta({ id: 'SkillList', description: 'The skills that there are for a key.' });
export type SkillList = z.output<typeof SkillList>;
