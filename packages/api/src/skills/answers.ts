import { CallLimits, RecordedCapabilities, RecordedTier, RequestedLimits } from '@ambit/core/policy';
import { z } from 'zod';

const runKind = {
  runtime: z.enum(['process', 'wasm']),
  protocol: z
    .enum(['json', 'command'])
    .describe('`json` is called with `input`, `command` with `args` and `stdin`.'),
};

const summary = {
  id: z.string().describe('The name to call it by; unique.'),
  alias: z
    .string()
    .nullable()
    .describe(
      'Another id to call it by: `metadata.skill-id` of its `SKILL.md`. `null` if it has none in force.',
    ),
  name: z.string(),
  description: z
    .string()
    .describe(
      'What it does and when to use it, exactly as its author wrote it, and not escaped for models. Lists cut it at 1024 characters.',
    ),
  version: z.string().nullable().describe('`null` if its sidecar has none.'),
  tier: RecordedTier,
  digest: z.string().describe('`sha256:…` of its files.'),
  executable: z.boolean().describe('Whether it has anything to run.'),
  run: z
    .strictObject(runKind)
    .nullable()
    .describe('How it runs without `script`; `null` if its sidecar has no `run.entry`.'),
  requests: z
    .array(z.string())
    .readonly()
    .describe(
      'What it asks for, a line each, sorted: `network a.example:443`; of an untrusted skill, what it asks for once it is trusted. At most 100 lines.',
    ),
  warnings: z.array(z.string()).readonly(),
  hiddenFrom: z
    .array(z.enum(['models', 'menus']))
    .readonly()
    .optional()
    .describe(
      'Who is not offered it, by its `SKILL.md`: models, or the menus of people. Absent: everybody is.',
    ),
  root: z
    .string()
    .exactOptional()
    .describe('Its folder on the machine of the daemon. Only for keys with the scope `admin`.'),
  installed: z
    .literal(true)
    .exactOptional()
    .describe('Present, beside `root`, if it is installed: an approval decides about its tier.'),
};

/** A skill in a list. */
export const SkillSummary = z
  .strictObject(summary)
  .meta({ id: 'SkillSummary', description: 'A skill in a list.' });
export type SkillSummary = z.output<typeof SkillSummary>;

const Schema = z
  .union([z.boolean(), z.record(z.string(), z.unknown())])
  .nullable()
  .describe('A JSON Schema (2020-12); `null` accepts anything.');

/** The runtime of a skill's call, and its requests. */
export const RunView = z
  .strictObject({
    ...runKind,
    input: Schema,
    output: Schema,
    capabilities: RecordedCapabilities,
    limits: RequestedLimits.meta({
      id: 'RequestedLimits',
      description: 'Limits that a skill requests. An absent one is the default of its tier.',
    }),
    callLimits: CallLimits.describe(
      'What a call gets without `limits` of its own, and the most that it can ask for, by the configuration and the key.',
    ),
  })
  .meta({ id: 'Run', description: 'How to call a skill, and what it requests.' });
export type RunView = z.output<typeof RunView>;

const files = z
  .array(
    z
      .strictObject({
        path: z.string().describe("Relative to the skill's folder."),
        bytes: z.number(),
        sha256: z.string().describe('Hex. For a link, of its target path.'),
      })
      .meta({ id: 'SkillFile', description: 'A file of a skill.' }),
  )
  .readonly();

/** The files in a skill's folder. */
export const SkillFiles = z
  .strictObject({ digest: summary.digest, files: files.describe('Sorted by path.') })
  .meta({ id: 'SkillFiles', description: 'All files of a skill.' });
export type SkillFiles = z.output<typeof SkillFiles>;

/** Everything that a caller needs to call a skill, without its body. */
export const SkillDetail = z
  .strictObject({
    ...summary,
    license: z.string().nullable().describe('The license in its `SKILL.md`; `null` if there is none.'),
    compatibility: z
      .string()
      .nullable()
      .describe('The requirements in its `SKILL.md`; `null` if there are none.'),
    allowedTools: z
      .array(z.string())
      .readonly()
      .describe('`allowed-tools` of its `SKILL.md`. Informational: it grants nothing.'),
    files,
    scripts: z
      .array(
        z.strictObject({
          path: z.string(),
          interpreter: z
            .string()
            .nullable()
            .describe('The program that runs it; `null` for a compiled program.'),
          runtime: z
            .enum(['process', 'wasm'])
            .describe('How it runs at the tier of the skill: as a program, or as Python in WebAssembly.'),
        }),
      )
      .readonly()
      .describe(
        'What `script` accepts besides the names in `entries`, without tests, templates and the like. Each script has its interpreter and a workspace, and takes `args` and `stdin`.',
      ),
    scriptLimits: CallLimits.describe('The same as `callLimits`, for each of `scripts`.'),
    run: RunView.nullable().describe('What runs without `script`; `null` if its sidecar has no `run.entry`.'),
    entries: z
      .array(
        z.strictObject({
          name: z.string().describe('The value for `script`.'),
          description: z.string().nullable(),
          entry: z.string().describe('Its file.'),
          run: RunView,
        }),
      )
      .readonly()
      .describe('The `run.scripts` of its sidecar.'),
    wasm: z
      .record(
        z.string(),
        z.strictObject({ needs: z.array(z.string()).readonly(), mayNeed: z.array(z.string()).readonly() }),
      )
      .exactOptional()
      .describe(
        'By path, the needs of its Python scripts that WebAssembly does not meet. Only for keys with the scope `admin`.',
      ),
    programs: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe(
        'By name, the path of each program that it needs on the machine of the daemon, or how to install it. Only for keys with the scope `admin`.',
      ),
  })
  .meta({ id: 'SkillDetail', description: 'Everything that a caller needs to call a skill.' });
export type SkillDetail = z.output<typeof SkillDetail>;

/** A page of the skills that a key can see. */
export const SkillList = z
  .strictObject({
    skills: z.array(SkillSummary).readonly(),
    broken: z
      .array(
        z.strictObject({
          id: z.string().describe("The folder's name."),
          root: z.string(),
          problem: z.string().describe('What is wrong and how to fix it.'),
        }),
      )
      .readonly()
      .describe('Skill folders that cannot be used: up to 1000 on the first page, none on the others.'),
    brokenCount: z.int().describe('The total number of such folders.'),
    next: z.string().nullable().describe('Pass it as `after` to get the next page; `null` on the last page.'),
  })
  .meta({ id: 'SkillList', description: 'The skills that a key can see.' });
export type SkillList = z.output<typeof SkillList>;
