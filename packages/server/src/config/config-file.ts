import { isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  Capabilities,
  describeIssues,
  McpServers,
  NetworkRule,
  RequestedLimits,
  SkillName,
  Tier,
} from '@ambit/core';
import { readOrdinaryFile } from '@ambit/runtime';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { auditKeys } from './audit-keys.ts';
import { logLevels } from './config.ts';
import { withHome } from './home-path.ts';
import { takeLaterKeys } from './later-keys.ts';
import { workspaceKeys } from './workspace-keys.ts';

/** The file that is looked for where nobody names one. */
export const configFileName = 'ambit.config.yaml';

export const Host = z
  .string()
  .refine(
    (host) => isIP(host) !== 0 || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host),
    'write a host name or an address, without a port: 127.0.0.1',
  );

export const Port = z
  .int('write a port, 0 to 65535')
  .min(0, 'write a port, 0 to 65535')
  .max(65_535, 'write a port, 0 to 65535');

export const LogLevel = z.enum(logLevels);

/** A path, absolute afterwards: `~` is the home directory, and what is relative starts at `folder`. */
export function anchoredPath(folder: string, home: string) {
  return z
    .string()
    .min(1, 'write a path')
    .transform((path) => resolve(folder, withHome(path, home)));
}

/** What a configuration file may say. Absent: the default. */
export function configFile(folder: string, home: string) {
  const path = anchoredPath(folder, home);
  const Operator = operatorCapabilities(home);
  return z.strictObject({
    listen: z
      .strictObject({
        host: Host.optional(),
        port: Port.optional(),
        allowRemote: z.boolean().optional(),
        names: z.array(Host).optional(),
        tls: z.strictObject({ cert: path, key: path }).optional(),
      })
      .optional(),
    dataDir: path.optional(),
    skills: z.array(z.strictObject({ path, tier: Tier })).optional(),
    bundledSkills: z.boolean().optional(),
    discoveredSkills: z.boolean().optional(),
    grants: z.record(SkillName, Operator.extend({ mcpServers: McpServers.default({}) })).optional(),
    deny: Operator.optional(),
    secrets: z.record(SecretName, secretPlace(path)).optional(),
    phases: Phases.optional(),
    contextRoots: z.array(path).optional(),
    imports: z
      .strictObject({
        network: z.array(NetworkRule).default([]),
        timeoutMs: z.int().positive().max(600_000).optional(),
      })
      .optional(),
    agents: z.record(z.string().min(1), z.strictObject({ skills: Names.default([]) })).optional(),
    limits: RequestedLimits.extend({
      concurrency: z.int().positive().optional(),
      concurrencyPerSkill: z.int().positive().optional(),
      queue: z.int().min(0).optional(),
      wasmHosts: z.int().positive().max(64).optional(),
      prewarm: z.int().min(0).max(256).optional(),
    }).optional(),
    audit: auditKeys(path).optional(),
    idempotency: z
      .strictObject({
        keepHours: z
          .number('write a number of hours')
          .min(0, 'write a number of hours, or 0 to keep no answers')
          .max(168, 'answers are kept for at most 168 hours')
          .optional(),
      })
      .optional(),
    workspaces: workspaceKeys.optional(),
    logLevel: LogLevel.optional(),
    telemetry: z.strictObject({ otlpEndpoint: OtlpEndpoint.optional() }).optional(),
    bodyLimitBytes: z.int().positive().optional(),
    shutdown: z.strictObject({ drainMs: z.int().min(0).max(3_600_000).optional() }).optional(),
    watchConfig: z.boolean().optional(),
  });
}
export type ConfigFile = z.output<ReturnType<typeof configFile>>;

const OtlpEndpoint = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[?#@]/.test(text),
    'write the URL of a collector, without a key in it: http://127.0.0.1:4318',
  );

const Names = z.array(z.string().min(1));

const Phases = z
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

const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'name it as an environment variable is named: GITHUB_TOKEN');

/** Where an operator keeps a secret. */
function secretPlace(path: ReturnType<typeof anchoredPath>) {
  return z.union(
    [
      z.strictObject({ env: SecretName }),
      z.strictObject({ file: path }),
      z.strictObject({ command: z.array(z.string()).min(1) }),
    ],
    'write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }',
  );
}

/** Core's `Capabilities` with the home directory filled in and the placeholder `granted` refused. */
function operatorCapabilities(home: string) {
  const { element: Entry } = Capabilities.shape.filesystem.unwrap().shape.read.unwrap();
  const { element: Rule } = Capabilities.shape.network.unwrap();
  const rules = z.array(
    Rule.refine(
      (rule) => (typeof rule === 'string' ? rule : rule.host) !== 'granted',
      'name the hosts: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
    ),
  );
  const paths = z.array(
    z
      .string()
      .transform((path) => withHome(path, home))
      .refine(
        (path) => path !== 'granted',
        'name the paths: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
      )
      .pipe(Entry),
  );
  return Capabilities.extend({
    filesystem: z
      .strictObject({ read: paths.default([]), write: paths.default([]) })
      .default({ read: [], write: [] }),
    network: rules.default([]),
  });
}

/** What came of reading a configuration file: `issues` holds every mistake, each with the file's name. */
interface ReadConfigFile {
  content: ConfigFile;
  issues: string[];
}

/**
 * Reads the file at `path`; what is relative in it starts at `folder`. `undefined` when there is no such file.
 * Rejects when it is there and cannot be read.
 */
export async function readConfigFile(
  path: string,
  { folder, home }: { folder: string; home: string },
): Promise<ReadConfigFile | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const refused = (issues: string[]): ReadConfigFile => ({
    content: {},
    issues: issues.map((issue) => `${path}: ${issue}`),
  });

  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
  } catch (error) {
    return refused([`not YAML: ${(error as Error).message.split('\n', 1)[0]?.replace(/:$/, '')}`]);
  }
  const later = takeLaterKeys(value);
  const schema = configFile(folder, home);
  const parsed = schema.safeParse(later.value);
  if (parsed.success && later.issues.length === 0) return { content: parsed.data, issues: [] };
  return refused([
    ...later.issues,
    ...(parsed.success ? [] : describeIssues(parsed.error, schema, later.value)),
  ]);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readOrdinaryFile(path)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
