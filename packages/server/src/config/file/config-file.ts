import { Tier } from '@ambit/core/execute';
import { byteAmount, OperatorLimits, TierSettings } from '@ambit/core/policy';
import {
  describeIssues,
  McpServers,
  parseLargeYaml,
  SkillId,
  SkillName,
  YamlTooLarge,
} from '@ambit/core/skill';
import { availableMemoryBytes } from '@ambit/runtime';
import { z } from 'zod';
import { auditKeys } from './audit-keys.ts';
import { ClusterKeys } from './cluster-keys.ts';
import { DependencyKeys } from './dependency-keys.ts';
import { grantedCapabilities, OperatorRule, operatorCapabilities } from './operator-capabilities.ts';
import { Names, Phases } from './phase-keys.ts';
import { anchoredPath, Host, LogLevel, Port } from './plain-values.ts';
import { publisherKeys } from './publisher-keys.ts';
import { takeRemovedKeys } from './removed-keys.ts';
import { storeKeys } from './store-keys.ts';
import { workspaceKeys } from './workspace-keys.ts';

/** The name of the file that Ambit searches for. */
export const configFileName = 'ambit.config.yaml';

/** A parsed configuration file. `issues` lists every mistake, each with the file's path. */
interface ParsedConfigFile {
  content: ConfigFile;
  issues: string[];
}

/** Parses the content of the file at `path`. Relative paths in it start at `folder`. */
export function parseConfigFile(
  bytes: Uint8Array,
  path: string,
  { folder, home }: { folder: string; home: string },
): ParsedConfigFile {
  const refused = (issues: string[]): ParsedConfigFile => ({
    content: {},
    issues: issues.map((issue) => `${path}: ${issue}`),
  });

  const text = Buffer.from(bytes).toString();
  let value: unknown;
  try {
    value = parseLargeYaml(text) ?? {};
  } catch (error) {
    const why = (error as Error).message.split('\n', 1)[0];
    return refused([error instanceof YamlTooLarge ? `the file ${why}` : `not valid YAML: ${why}`]);
  }
  const known = takeRemovedKeys(value);
  const schema = configFile(folder, home);
  const parsed = schema.safeParse(known.value);
  if (parsed.success && known.issues.length === 0) return { content: parsed.data, issues: [] };
  return refused([
    ...known.issues,
    ...(parsed.success ? [] : describeIssues(parsed.error, schema, known.value)),
  ]);
}

/** The schema of a configuration file. Absent keys have their defaults. */
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
    skills: z.array(z.strictObject({ path, tier: Tier, namespace: SkillName.optional() })).optional(),
    bundledSkills: z.boolean().optional(),
    discoveredSkills: z.boolean().optional(),
    grants: z.record(SkillId, skillGrant(home)).optional(),
    deny: Operator.optional(),
    secrets: z.record(SecretName, secretPlace(path)).optional(),
    phases: Phases.optional(),
    contextRoots: z.array(path).optional(),
    index: z
      .strictObject({
        paths: z.enum(['absolute', 'relative']).optional(),
        maxLines: z.int().min(3, 'an index with one skill has 3 lines').optional(),
      })
      .optional(),
    imports: z
      .strictObject({
        network: z.array(OperatorRule).default([]),
        timeoutMs: z.int().positive().max(600_000).optional(),
      })
      .optional(),
    installs: z
      .strictObject({
        network: z.array(OperatorRule).default([]),
        updates: z.enum(['ask', 'auto']).optional(),
        minAgeHours: z.number().min(0).max(8760).optional(),
        whileWaiting: z.enum(['run', 'stop']).optional(),
        dependencies: DependencyKeys.optional(),
      })
      .optional(),
    publishers: publisherKeys(path).optional(),
    agents: z.record(z.string().min(1), z.strictObject({ skills: Names.default([]) })).optional(),
    limits: OperatorLimits.extend({
      memoryShareBytes: byteAmount(availableMemoryBytes()).optional(),
      concurrency: z.int().positive().optional(),
      concurrencyPerSkill: z.int().positive().optional(),
      queue: z.int().min(0).optional(),
      wasmHosts: z.int().positive().max(64).optional(),
      prewarm: z.int().min(0).max(256).optional(),
      maxPrewarmSeconds: z.int().positive().max(86_400).optional(),
    }).optional(),
    tiers: TierSettings.optional(),
    mcp: z.strictObject({ untrustedTools: z.boolean().optional() }).optional(),
    console: z.boolean().optional(),
    audit: auditKeys(path).optional(),
    idempotency: z
      .strictObject({
        retentionHours: z
          .number('write a number of hours')
          .min(0, 'write a positive number of hours, or 0 to store no responses')
          .max(168, 'the maximum is 168 hours')
          .optional(),
        rerunInterrupted: z.array(SkillId).optional(),
      })
      .optional(),
    store: storeKeys(path, SecretName).optional(),
    cluster: ClusterKeys.optional(),
    workspaces: workspaceKeys.optional(),
    logLevel: LogLevel.optional(),
    telemetry: z.strictObject({ otlpEndpoint: OtlpEndpoint.optional() }).optional(),
    bodyLimitBytes: z.int().positive().optional(),
    shutdown: z.strictObject({ drainMs: z.int().min(0).max(3_600_000).optional() }).optional(),
    watchConfig: z.boolean().optional(),
  });
}

/** What a skill is granted. `user` is the user that it runs as with `host`, for a daemon that is root. */
function skillGrant(home: string) {
  return grantedCapabilities(home)
    .extend({
      limits: OperatorLimits.exactOptional(),
      mcpServers: McpServers.default({}),
      user: z.string().min(1).max(256).exactOptional(),
    })
    .refine(({ host, user }) => user === undefined || host === true, {
      path: ['user'],
      message: 'a user is only for host: true; remove it, or add host: true',
    });
}

/** A parsed configuration file. Absent keys are not in the file. */
export type ConfigFile = z.output<ReturnType<typeof configFile>>;

/** A secret's name. */
const SecretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'write a name in the form of an environment variable, such as GITHUB_TOKEN',
  );

/** The source of a secret. */
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

const OtlpEndpoint = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[?#@]/.test(text),
    'write the URL of a collector, without credentials or a query, such as http://127.0.0.1:4318',
  );
