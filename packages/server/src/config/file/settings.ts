import { availableParallelism } from 'node:os';
import { Tier } from '@ambit/core/execute';
import { byteAmount, noCapabilities, OperatorLimits, TierSettings } from '@ambit/core/policy';
import { McpServers, SkillId, SkillName } from '@ambit/core/skill';
import { availableMemoryBytes } from '@ambit/runtime';
import { z } from 'zod';
import { orNull, section } from '../keys.ts';
import { auditKeys } from './audit-keys.ts';
import { ClusterKeys } from './cluster-keys.ts';
import { installKeys } from './install-keys.ts';
import { grantedCapabilities, OperatorRule, operatorCapabilities } from './operator-capabilities.ts';
import { Names, Phases } from './phase-keys.ts';
import { anchoredPath, Host, logLevels, Port } from './plain-values.ts';
import { publisherKeys } from './publisher-keys.ts';
import { storeKeys } from './store-keys.ts';
import { workspaceKeys } from './workspace-keys.ts';

/**
 * Every key of the configuration file, with its type, default and description: a new key is added here, or in the section that
 * it belongs to. Relative paths start at `folder`.
 */
export function settingsSchema(folder: string, home: string) {
  const path = anchoredPath(folder, home);
  return z.strictObject({
    listen: section(
      z.strictObject({
        host: Host.default('127.0.0.1').meta({
          description:
            'the address to listen on; see [remote access](#remote-access) for addresses other than loopback',
          env: 'AMBIT_HOST',
          flag: '--host',
          needsRestart: true,
        }),
        port: Port.default(7433).meta({
          description: 'the port; 0 picks a free one',
          env: 'AMBIT_PORT',
          flag: '--port',
          needsRestart: true,
        }),
        allowRemote: z
          .boolean()
          .default(false)
          .meta({ description: 'allows an address that other machines can reach', flag: '--allow-remote' }),
        names: z
          .array(Host)
          .default([])
          .describe(
            'names and addresses, without a port, that callers may use in `Host`, besides loopback and `listen.host`. Requests with any other `Host` are refused. A proxy in front needs its name here',
          ),
        tls: orNull(z.strictObject({ cert: path, key: path })).meta({
          description: '`{ cert, key }`, PEM files: [TLS](deployment.md#tls) instead of plain HTTP',
          needsRestart: true,
        }),
      }),
    ),
    dataDir: path.optional().meta({
      description: 'the [data directory](#data-directory), with the [keys](keys.md) and the audit log',
      absent: '`.ambit` of a project, or your own',
      env: 'AMBIT_DATA_DIR',
      flag: '--data-dir',
      needsRestart: true,
    }),
    skills: z
      .array(z.strictObject({ path, tier: Tier, namespace: SkillName.optional() }))
      .default([])
      .describe(
        'folders of skills, or skill folders, each with its [tier](#tiers): `local`, `verified` or `untrusted`, and optionally a [namespace](#namespaces). If two skills have the same id, the one from the first folder is used and the other is reported',
      ),
    bundledSkills: z
      .boolean()
      .default(true)
      .describe('add the bundled skills after these folders, with tier `local`'),
    discoveredSkills: z.boolean().default(true).describe('add [discovered skills](#discovered-skills)'),
    grants: z
      .record(SkillId, skillGrant(home))
      .default({})
      .describe(
        'by skill id: access beyond the sandbox. For a [skill without a sidecar](#grants-for-skills-without-a-sidecar), also what it gets besides its interpreter',
      ),
    deny: operatorCapabilities(home)
      .default(noCapabilities)
      .meta({ description: 'what no skill gets, even if granted', absent: 'nothing' }),
    secrets: z
      .record(SecretName, secretPlace(path))
      .default({})
      .describe(
        'the source of each secret, by name: `{ env: NAME }`, `{ file: PATH }` (mode 600) or `{ command: [PROGRAM, …] }`. The output of a command is cached for five minutes. A call gets only the secrets that it is [granted](network.md)',
      ),
    phases: Phases.default({}).describe(
      "the phases of an agent's work, by name: the `tools` of each, the `required` ones among them, and its `skills` ([phases and agents](#phases-and-agents))",
    ),
    agents: z
      .record(z.string().min(1), z.strictObject({ skills: Names.default([]) }))
      .default({})
      .describe('the agents, by name: the `skills` of each, in order'),
    contextRoots: z
      .array(path)
      .default([])
      .describe(
        'folders from which callers with a key may gather [context](context.md) for a prompt, with everything below them',
      ),
    index: section(
      z.strictObject({
        paths: z
          .enum(['absolute', 'relative'])
          .default('absolute')
          .describe(
            'paths in an [index](prompts.md#length-and-paths-of-an-index): `absolute`, or `relative` to the folder of this file for skills below it',
          ),
        maxLines: orNull(z.int().min(3, 'an index with one skill has 3 lines')).describe(
          'the maximum lines of an index; skills beyond it are left out, with a warning',
        ),
      }),
    ),
    imports: section(
      z.strictObject({
        network: z.array(OperatorRule).default([]).meta({
          description:
            'hosts that [`ambit import`](import.md) may fetch from, written as in a [grant](network.md): `example.org`, `{ host: example.org, paths: [/skills/**] }`. `deny.network` wins',
          absent: 'nothing',
        }),
        timeoutMs: z
          .int()
          .positive()
          .max(600_000)
          .default(5000)
          .describe('the timeout for each fetched file, up to 600000'),
      }),
    ),
    installs: installKeys,
    publishers: publisherKeys(path)
      .default([])
      .describe(
        'a list of [publishers](installs.md#publishers), who must sign the skills of their sources, each `{ name, match, ed25519, tier }` or `{ name, match, sigstore, tier }`',
      ),
    tiers: TierSettings.default({}).meta({
      description:
        '`{ local, verified }`: the [limits of programs](#limits-of-a-call) of a tier, the default and the maximum',
      absent: '[the table](#limits-of-a-call)',
    }),
    limits: section(OperatorLimits.extend(Capacity.shape)).describe(
      'bounds for every call of every skill: they lower each default and maximum, and raise none. A larger value under `tiers` or `grants` is an error',
    ),
    mcp: section(
      z.strictObject({
        untrustedTools: z
          .boolean()
          .default(false)
          .describe(
            'offer `untrusted` skills as [tools over MCP](mcp.md#untrusted-skills). Process skills among them never run',
          ),
      }),
    ),
    console: z
      .boolean()
      .default(true)
      .describe('serve the [web console](console.md) and accept its sessions'),
    audit: auditKeys(path),
    idempotency: section(
      z.strictObject({
        retentionHours: z
          .number('write a number of hours')
          .min(0, 'write a positive number of hours, or 0 to store no responses')
          .max(168, 'the maximum is 168 hours')
          .default(24)
          .meta({
            description:
              '0 to 168: how long a response is stored on disk under its [idempotency key](executions.md#idempotency-keys); 0 stores none and refuses such keys',
            needsRestart: true,
          }),
        rerunInterrupted: z
          .array(SkillId)
          .default([])
          .describe(
            'ids of [idempotent skills](executions.md#idempotent-skills) whose interrupted calls run again under the same key',
          ),
      }),
    ),
    store: storeKeys(path, SecretName),
    cluster: orNull(ClusterKeys).meta({ needsRestart: true }),
    workspaces: workspaceKeys,
    logLevel: z.enum(logLevels).default('info').meta({
      description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
      env: 'AMBIT_LOG_LEVEL',
      flag: '--log-level',
    }),
    telemetry: section(
      z.strictObject({
        otlpEndpoint: orNull(OtlpEndpoint).meta({
          description:
            'an OpenTelemetry collector that receives [traces](operations.md#traces) over OTLP, such as `http://127.0.0.1:4318`. Its own variables, such as `OTEL_EXPORTER_OTLP_ENDPOINT`, override it',
          needsRestart: true,
        }),
      }),
    ),
    bodyLimitBytes: z
      .int()
      .positive()
      .default(8 * 1024 * 1024)
      .meta({
        description:
          'the largest JSON body, message of `ambit mcp`, and input that `ambit run` reads. Files of [`ambit run`](cli.md#large-files) and of a [workspace](workspaces.md#limits) can be larger',
        needsRestart: true,
      }),
    shutdown: section(
      z.strictObject({
        drainMs: z
          .int()
          .min(0)
          .max(3_600_000)
          .default(10_000)
          .describe(
            'how long [shutdown](reload.md#stopping) waits for running calls before it cancels them, up to 3600000; 0 cancels them immediately',
          ),
        idleMs: z.int().min(100).max(86_400_000).default(600_000).meta({
          description:
            'how long a [daemon on demand](operations.md#daemon-on-demand) runs without calls and connections before it shuts down, 100 to 86400000',
          env: 'AMBIT_IDLE',
        }),
      }),
    ),
    watchConfig: z
      .boolean()
      .default(false)
      .meta({ description: '[reload](reload.md) the file when it changes', needsRestart: true }),
  });
}

export type SettingsSchema = ReturnType<typeof settingsSchema>;

/** The values of all keys. `dataDir` is absent if only the folder decides it. */
export type Settings = z.output<SettingsSchema>;

/** Bounds for all runs together. Their keys are under `limits` in the file, beside the bounds of single calls. */
export const Capacity = z.strictObject({
  memoryShareBytes: byteAmount(availableMemoryBytes())
    .default(Math.floor(0.75 * availableMemoryBytes()))
    .meta({
      description: 'the [memory of all runs together](#memory-of-all-runs)',
      absent: 'three quarters of the memory',
    }),
  concurrency: z.int().positive().default(16).describe('running calls in total'),
  concurrencyPerSkill: z.int().positive().default(8).describe('running calls of one skill'),
  queue: z
    .int()
    .min(0)
    .default(256)
    .describe(
      'queued calls. When the queue is full, a call is refused with `OVERLOADED`: the new one or [one of the busiest key](executions.md#the-queue)',
    ),
  wasmHosts: z.int().positive().max(64).default(availableParallelism()).meta({
    description:
      '1 to 64: idle host processes for WASM skills. When all are busy and a call has waited 100 ms, Ambit starts another, up to `limits.concurrency`, unless many short calls are served meanwhile',
    absent: 'as many as processors',
  }),
  prewarm: z.int().min(0).max(256).default(8).describe('0 to 256: prewarmed programs of all skills together'),
  maxPrewarmSeconds: z
    .int()
    .positive()
    .max(86_400)
    .default(300)
    .describe('1 to 86400: the age at which a prewarmed program is replaced'),
});

export type Capacity = z.output<typeof Capacity>;

/** Returns the schema of a grant. `user` is the user that the skill runs as with `host`, for a daemon that is root. */
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
