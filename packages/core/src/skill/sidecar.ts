import semver from 'semver';
import { z } from 'zod';
import { Capabilities } from '../capability/capabilities.ts';
import { RequestedLimits } from '../capability/limits.ts';
import { SkillError } from '../execute/skill-error.ts';
import { isHiddenPath } from './hidden-path.ts';
import { describeIssues } from './issues.ts';
import { SkillName } from './manifest.ts';
import { parseYaml, YamlTooLarge } from './parse-yaml.ts';

const JsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
export type JsonSchema = z.output<typeof JsonSchema>;

/** What an input or an output is: JSON that fits a schema, or plain text that no JSON is put around. */
const Payload = z.union([z.literal('text'), JsonSchema], 'write a JSON Schema, or text for plain text');
export type Payload = z.output<typeof Payload>;

/** One object: a schema is compiled once for as long as it is the same. */
const textSchema = Object.freeze({ type: 'string' });

/** The schema that a payload has for a caller, to whom text is a JSON string. */
export function payloadSchema(payload: Payload | undefined): JsonSchema | undefined {
  return payload === 'text' ? textSchema : payload;
}

const SkillPath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'stay inside the skill folder')
  .refine(
    (path) => !isHiddenPath(path),
    'names that begin with a dot are hidden, and hidden files are not part of the skill; rename the file or its folder',
  )
  .refine((path) => !path.includes('\0') && !path.includes('\\'), 'write a plain path with forward slashes')
  .transform((path) =>
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/'),
  );

const common = {
  entry: SkillPath,
  /** Absent: anything goes. */
  input: Payload.optional(),
  output: Payload.optional(),
  capabilities: Capabilities.prefault({}),
  limits: RequestedLimits.extend({
    processes: z.int().positive().default(32),
    fileBytes: z
      .int()
      .positive()
      .default(64 * 1024 * 1024),
    outputBytes: z
      .int()
      .positive()
      .default(1024 * 1024),
  }).prefault({}),
};

/** How a tool skill is run. */
export const Run = z
  .discriminatedUnion('runtime', [
    z.strictObject({
      runtime: z.literal('process'),
      protocol: z.enum(['json', 'command']).default('json'),
      ...common,
      /** How many of its programs are started ahead of need and wait for their input. */
      prewarm: z.int().min(0).max(16).default(0),
    }),
    z.strictObject({
      runtime: z.literal('wasm'),
      /** `command` is for WASI commands. */
      protocol: z.enum(['json', 'command']).default('json'),
      ...common,
      /** The export of an Extism plug-in that is called. */
      function: z
        .string()
        .max(200)
        .regex(/^(?!ambit:)\P{Cc}+$/u, 'name an export; names that begin with ambit: are not for skills')
        .optional(),
    }),
  ])
  .refine((run) => run.runtime === 'process' || run.function === undefined || !isScript(run), {
    path: ['function'],
    message: 'a script is called by its default export; function is for Extism plug-ins',
  })
  .refine((run) => run.protocol === 'json' || !isScript(run), {
    path: ['protocol'],
    message: 'a script takes and gives JSON; protocol command is for programs and WASI commands',
  })
  .refine((run) => run.runtime === 'process' || run.protocol === 'json' || run.function === undefined, {
    path: ['function'],
    message: 'protocol command is for WASI commands, which start at _start; function is for Extism plug-ins',
  })
  .refine((run) => run.runtime === 'wasm' || run.protocol === 'json' || run.prewarm === 0, {
    path: ['prewarm'],
    message:
      'only a skill with protocol json can wait for its input: the arguments of a command come with the call',
  })
  .refine(
    (run) =>
      run.runtime === 'wasm' || run.prewarm === 0 || !run.capabilities.filesystem.write.includes('workspace'),
    {
      path: ['prewarm'],
      message: 'a skill with a workspace cannot wait: its files come with the call, before anything runs',
    },
  )
  .refine(
    (run) =>
      run.runtime === 'wasm' ||
      run.prewarm === 0 ||
      (run.capabilities.state === 'none' && run.capabilities.memory === 'none'),
    {
      path: ['prewarm'],
      message:
        'a skill with state or memory cannot wait: it gets both as files with the call, before anything runs',
    },
  );
export type Run = z.output<typeof Run>;
/** Whether a run's entry is a script that QuickJS runs. */
export function isScript({ runtime, entry }: { runtime: string; entry: string }): boolean {
  return runtime === 'wasm' && /\.m?js$/.test(entry);
}

/** What a skill can run in. */
export type Runtime = Run['runtime'];

/** What a prompt needs to know of the place where its agent works, gathered just in time. */
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

/** MCP servers by name, each as the agent's own configuration writes it. */
export const McpServers = z.record(z.string(), z.record(z.string(), z.unknown()));
export type McpServers = z.output<typeof McpServers>;

/**
 * How a selected skill comes into a prompt by itself: `on-demand`, listed until the model asks for it, or `always`, with
 * its body (an untrusted one is listed all the same); and as what. A body of more than 10,000 characters is delivered as a reference, whatever is written here.
 */
const Injection = z.strictObject({
  mode: z.enum(['on-demand', 'always']).default('on-demand'),
  delivery: z.enum(['instruction', 'context', 'reference']).default('instruction'),
});

/** `ambit.yaml`: what the Agent Skills specification has no field for. Strict, so that a typo never passes silently. */
export const Sidecar = z.strictObject({
  version: z
    .string()
    .refine((version) => semver.valid(version) !== null, 'write a version such as 1.2.0')
    .optional(),
  /** Lower case; empty: every phase. */
  phases: z
    .union([z.string(), z.array(z.string().min(1))])
    .default([])
    .transform((phases) => [phases].flat().map((phase) => phase.toLowerCase()))
    .transform((phases) => (phases.includes('*') ? [] : phases)),
  /** Lower comes first. */
  priority: z.int().default(50),
  tags: z.array(z.string()).default([]),
  /** Compared without case, as are sections. Empty: any. */
  campaigns: z.array(z.string().min(1)).default([]),
  sections: z.array(z.string().min(1)).default([]),
  /** Empty: anyone's. */
  agents: z.array(z.string()).default([]),
  /** Skill id to semver range. */
  requires: z
    .record(
      SkillName,
      z
        .string()
        .max(256)
        .refine((range) => semver.validRange(range) !== null, 'write a range such as ^1.0.0'),
    )
    .default({}),
  conflicts: z.array(SkillName).default([]),
  /** Tools of the agent that its instructions use. Absent: it says nothing of them; empty: it uses none. */
  tools: z.array(z.string().min(1)).optional(),
  mcpServers: McpServers.default({}),
  context: z.array(ContextRequirement).default([]),
  injection: Injection.prefault({}),
  run: Run.optional(),
});
export type Sidecar = z.output<typeof Sidecar>;

/** What holds for a folder without an `ambit.yaml`. */
export const emptySidecar: Sidecar = Sidecar.parse({});

/**
 * Reads the text of an `ambit.yaml`. Throws `SKILL_INVALID` with every mistake in it at once; an unknown key is named
 * with its nearest known neighbour. `details.issues` holds the same, one line each.
 */
export function readSidecar(text: string): Sidecar {
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
    // An anchor can contain itself, which no JSON can; this throws for it.
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
