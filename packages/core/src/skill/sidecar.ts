import semver from 'semver';
import { z } from 'zod';
import { SkillError } from '../outcome/skill-error.ts';
import { describeIssues } from './issues.ts';
import { McpServers } from './mcp-servers.ts';
import { parseYaml, YamlTooLarge } from './parse-yaml.ts';
import { SkillId } from './skill-id.ts';
import { type Runs, WrittenRun } from './written-run.ts';

/** Context from the agent's workplace for a prompt, gathered when the prompt is composed. */
export const ContextRequirement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('git_status'), description: z.string().optional() }),
  z.strictObject({ type: z.literal('item_metadata'), description: z.string().optional() }),
  z.strictObject({ type: z.literal('file'), path: z.string().min(1), description: z.string().optional() }),
  z.strictObject({
    type: z.literal('phase_artifact'),
    path: z.string().min(1),
    description: z.string().optional(),
  }),
]);

export type ContextRequirement = z.output<typeof ContextRequirement>;

/**
 * The way a selected skill enters a prompt. `on-demand`: listed until the model asks for it. `always`:
 * with its body, except for untrusted skills, which are only listed. A body of more than 10,000
 * characters is always delivered as a reference.
 */
const Injection = z.strictObject({
  mode: z.enum(['on-demand', 'always']).default('on-demand'),
  delivery: z.enum(['instruction', 'context', 'reference']).default('instruction'),
});

/**
 * `ambit.yaml`: everything that the Agent Skills specification has no field for. Strict, so that
 * typos are reported.
 */
export const Sidecar = z
  .strictObject({
    version: z
      .string()
      .refine((version) => semver.valid(version) !== null, 'write a version such as 1.2.0')
      .optional(),
    /** In lower case. Empty: every phase. */
    phases: z
      .union([z.string(), z.array(z.string().min(1))])
      .default([])
      .transform((phases) => [phases].flat().map((phase) => phase.toLowerCase()))
      .transform((phases) => (phases.includes('*') ? [] : phases)),
    /** Lower values come first. */
    priority: z.int().default(50),
    tags: z.array(z.string()).default([]),
    /** Compared without case, like sections. Empty: any. */
    campaigns: z.array(z.string().min(1)).default([]),
    sections: z.array(z.string().min(1)).default([]),
    /** Empty: any agent. */
    agents: z.array(z.string()).default([]),
    /** Id or name of a skill to semver range. A name is first looked up in the skill's own namespace. */
    requires: z
      .record(
        SkillId,
        z
          .string()
          .max(256)
          .refine((range) => semver.validRange(range) !== null, 'write a range such as ^1.0.0'),
      )
      .default({}),
    conflicts: z.array(SkillId).default([]),
    /** The agent's tools that the instructions use. Absent: unspecified. Empty: none. */
    tools: z.array(z.string().min(1)).optional(),
    mcpServers: McpServers.default({}),
    context: z.array(ContextRequirement).default([]),
    injection: Injection.prefault({}),
    /** A call that was interrupted can run again: the result is the same as of one run. */
    idempotent: z.boolean().optional(),
    run: WrittenRun.optional(),
  })
  .transform(({ run: written, ...rest }) => {
    const { run, namedRuns, cwd }: Runs = written ?? { namedRuns: {} };
    const read: typeof rest & Runs = { ...rest, namedRuns };
    if (cwd !== undefined) read.cwd = cwd;
    return run === undefined ? read : { ...read, run };
  });
export type Sidecar = z.output<typeof Sidecar>;

/** The sidecar of a folder without an `ambit.yaml`. */
export const emptySidecar: Sidecar = Sidecar.parse({});

/**
 * Parses an `ambit.yaml`. Throws `SKILL_INVALID` with all mistakes; an unknown key is reported with
 * the nearest known key. `details.issues` has the same mistakes, one line each.
 */
export function readSidecar(text: string): Sidecar {
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
    // An anchor can contain itself. JSON cannot express that, so this throws.
    JSON.stringify(value);
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof YamlTooLarge ? message : `is not YAML: ${message.split('\n', 1)[0]}`;
    throw new SkillError('SKILL_INVALID', `ambit.yaml ${problem}`, { cause: error });
  }
  const parsed = Sidecar.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, Sidecar, value);
  throw new SkillError('SKILL_INVALID', `ambit.yaml: ${issues.join('; ')}`, { details: { issues } });
}
