import type { PayloadPolicy } from '@ambit/core/audit';
import type { NetworkRule } from '@ambit/core/egress';
import type { Capabilities, QueueLimits } from '@ambit/core/execute';
import type { RequestedLimits, SkillGrant, TierSettings } from '@ambit/core/policy';
import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import type { McpServers } from '@ambit/core/skill';
import type { DependencySettings } from '@ambit/installs';
import type { Environment, SecretLocation, SkillRoot } from '@ambit/runtime';
import type { InstalledSkill } from '../lock/installed.ts';
import type { ClusterSettings } from './file/cluster-keys.ts';
import type { Publisher } from './file/publisher-keys.ts';
import type { PostgresKeys } from './file/store-keys.ts';

/** From few messages to many, and none. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The validated configuration with absolute paths and all defaults. */
export interface Config {
  /** The absolute path of its file; `undefined` without a file. */
  file: string | undefined;
  /**
   * Port 0 picks a free one. Addresses other than loopback need `tls` or `allowRemote`. `names` are further names that
   * callers may use in `Host`. `tls` is `null` for plain HTTP.
   */
  listen: {
    host: string;
    port: number;
    allowRemote: boolean;
    names: readonly string[];
    tls: TlsFiles | null;
  };
  dataDir: string;
  /**
   * Whether the data directory needs trust. `project` is the folder that it was found for; the trust store in `dataHome`
   * must then list it as the user's own. `null`: the user named it, so it needs no trust.
   */
  dataDirTrust: { project: string | null; dataHome: string | undefined };
  /**
   * If two skills have the same name, the first root wins: the roots of the file, the bundled skills, then the discovered
   * roots. A discovered skill therefore never takes the name, and with it the grants, of a configured one.
   */
  skills: readonly SkillRoot[];
  /** By skill id. */
  grants: Readonly<Record<string, SkillGrant>>;
  /** By id of a skill with `host`: the user that it runs as. Only the file of this machine sets it. */
  hostUsers: Readonly<Record<string, string>>;
  deny: Capabilities;
  /** By skill id: the granted MCP servers with their definitions. */
  mcpServers: Readonly<Record<string, McpServers>>;
  /** By name. Names are unique ignoring case. */
  phases: Readonly<Record<string, Required<PhaseSettings>>>;
  agents: Readonly<Record<string, Required<AgentSettings>>>;
  /** Absolute paths of folders from which callers may gather context for a prompt. */
  contextRoots: readonly string[];
  /** How an index lists skills in a prompt. `relative`: to the folder of the configuration file. `null`: any number of lines. */
  index: { paths: 'absolute' | 'relative'; maxLines: number | null };
  /** By name: the source of each secret, never its value. */
  secrets: Readonly<Record<string, SecretLocation>>;
  /** The hosts that `ambit import` may fetch from, and the timeout for each file. */
  imports: { network: readonly NetworkRule[]; timeoutMs: number };
  /** Where skills may be fetched from, and what happens to their updates. */
  installs: InstallSettings;
  /** Who signs the skills of which sources. */
  publishers: readonly Publisher[];
  /** The absolute path of the lock file, which need not exist. */
  lockFile: string;
  /** What the lock file lists, by skill id. */
  installed: Readonly<Record<string, InstalledSkill>>;
  /** Upper bounds for every call. */
  limits: RequestedLimits;
  /** The limits of programs, by tier, as the file sets them. */
  tiers: TierSettings;
  /** The memory that all runs share. No call has more. */
  memoryShareBytes: number;
  /** The numbers of running and queued calls. */
  queue: QueueLimits;
  /** The number of idle host processes for WASM skills. */
  wasmHosts: number;
  /** The number of prewarmed programs of all skills together. */
  prewarm: number;
  /** The age at which a prewarmed program is replaced. */
  maxPrewarmSeconds: number;
  /** `untrustedTools`: whether untrusted skills are tools over MCP. */
  mcp: { untrustedTools: boolean };
  /** Whether the web console is served, and sessions of it are accepted. */
  console: boolean;
  audit: AuditSettings;
  /**
   * How long responses are stored under their idempotency keys; 0 stores none. `rerunInterrupted` has the ids of idempotent skills whose
   * interrupted calls run again under the same key.
   */
  idempotency: { retentionHours: number; rerunInterrupted: readonly string[] };
  /** `null`: the store is a file of SQLite in the data directory. */
  store: { postgres: PostgresKeys | null };
  /** What makes the daemon a node of a cluster; `null`: it is on its own. Needs `store.postgres`. */
  cluster: ClusterSettings | null;
  workspaces: WorkspaceSettings;
  logLevel: (typeof logLevels)[number];
  /** The URL of an OpenTelemetry collector for OTLP over HTTP, or `null`. OpenTelemetry's variables override it. */
  telemetry: { otlpEndpoint: string | null };
  /** The largest request body. */
  bodyLimitBytes: number;
  /** How long shutdown waits for running calls before it cancels them. */
  shutdown: { drainMs: number };
  /** Whether the daemon reloads its file when it changes. */
  watchConfig: boolean;
  /** The policy of the cluster in force here, of which `grants`, `deny`, `limits`, `tiers` and `mcp` are; absent: none was published. */
  clusterPolicy?: {
    revision: number;
    /** The sections of its own file that it replaces; `null`: the policy was withdrawn. */
    own: PolicySections | null;
  };
  /** The daemon that flags or variables name; absent: the daemon of the data directory. The file cannot set it. */
  daemon?: NamedDaemon;
}

/** What a published policy has of a configuration: what calls may do, and nothing of one machine. */
export type PolicySections = Pick<Config, 'grants' | 'deny' | 'limits' | 'tiers' | 'mcp'>;

/** A revision of the policy of a cluster; `sections` is `null` if it was withdrawn. */
export interface ClusterPolicyRevision {
  revision: number;
  sections: PolicySections | null;
}

/** The settings of installed skills. */
interface InstallSettings {
  /** The hosts that skills may be fetched from. */
  network: readonly NetworkRule[];
  /**
   * `ask`: every later version of an approved skill waits for approval. `auto`: a version that asks for no more, from the same
   * publisher, takes over the approval once it is `minAgeHours` old.
   */
  updates: 'ask' | 'auto';
  minAgeHours: number;
  /** Whether the approved version runs while a later one waits. */
  whileWaiting: 'run' | 'stop';
  /** Where the packages of skills come from. */
  dependencies: DependencySettings;
}

/** The address of a daemon, and the absolute path of the file with its key. */
export interface NamedDaemon {
  url: string | undefined;
  keyFile: string | undefined;
}

/** Absolute paths of the certificate chain and its private key, both PEM. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** The stored payloads, the retention, the disk space, and the copies of checkpoints. */
export interface AuditSettings extends PayloadPolicy {
  /** Older parts are removed; `null`: no limit by age. */
  retentionDays: number | null;
  /** If the log is larger, its oldest parts are removed; `null`: no limit by size. */
  retentionBytes: number | null;
  /** Removes only stored inputs and outputs, or whole events. */
  prune: 'payloads' | 'events';
  /** Below it, `/readyz` and the daemon's log warn. */
  warnFreeBytes: number;
  /** Below it, new calls are refused; running calls are recorded to their end. */
  minFreeBytes: number;
  /** Allocated ahead to record those ends on a full disk; 0: no reserve. */
  reserveBytes: number;
  /** By skill id: exceptions for single skills. */
  skills: Readonly<Record<string, Pick<PayloadPolicy, 'payloads'>>>;
  /** `null`: checkpoints are stored only in the log. */
  checkpoints: CheckpointTarget | null;
}

/** The limits of workspaces. `quotaBytes` and `expiresAfterSeconds` are defaults; `max…` bound what a caller can request. */
export interface WorkspaceSettings {
  /** The number of workspaces per key; 0 disables them. */
  maxPerKey: number;
  quotaBytes: number;
  maxQuotaBytes: number;
  /** For the contents of all workspaces together. */
  maxTotalBytes: number;
  /** Files, links and folders of one workspace. */
  maxFiles: number;
  /** After the last use. */
  expiresAfterSeconds: number;
  maxExpiresAfterSeconds: number;
}

/** A file that gets a line for each checkpoint, or a command that gets the line on stdin. */
type CheckpointTarget = { file: string } | { command: readonly string[] };

/** The configuration flags of the command line, unparsed. */
export interface ConfigFlags {
  config?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  allowRemote?: boolean | undefined;
  dataDir?: string | undefined;
  logLevel?: string | undefined;
  url?: string | undefined;
  keyFile?: string | undefined;
}

/** The origin of a value: `default`, `file:/srv/ambit.config.yaml`, `env:AMBIT_PORT` or `flag:--port`. */
export type Origin =
  | 'default'
  | `file:${string}`
  | `env:${string}`
  | `flag:--${string}`
  | `cluster policy, revision ${number}`;

/** A value with its origin. */
export interface Sourced<T> {
  value: T;
  origin: Origin;
}

/** One value of the configuration. `key` is its path in the file, such as `listen.port` or `grants.git-summary`. */
export interface ConfigEntry extends Sourced<unknown> {
  key: string;
}

/** The sources of the configuration. Only `main.ts` reads them from the process. */
export interface ConfigSources {
  flags: ConfigFlags;
  env: Environment;
  /** An absolute path. */
  cwd: string;
  /** An absolute path. */
  home: string;
  /** The folder of the user's own data and the trust store, if any. */
  dataHome: string | undefined;
  /** The user id of this process; absent: unknown. */
  uid?: number | undefined;
  /** Reads the policy of its cluster in the data directory of a node. Rejects with a `ConfigError`. */
  readPolicy(dataDir: string): Promise<ClusterPolicyRevision | undefined>;
}
