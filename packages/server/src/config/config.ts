import type { Capabilities } from '@ambit/core/execute';
import type {
  McpServers,
  NetworkRule,
  PayloadPolicy,
  QueueLimits,
  RequestedLimits,
} from '@ambit/core/internal';
import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import type { Environment, SecretLocation, SkillRoot } from '@ambit/runtime';

/** From little to much, and nothing. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The configuration, whole and checked: every path absolute, every default filled in. */
export interface Config {
  /** The file it came from, absolute; `undefined` when there is none. */
  file: string | undefined;
  /**
   * Port 0 means any free one. Beyond loopback only with `tls` or `allowRemote`. `names` are what callers may call it.
   * `tls`: `null` for plain HTTP.
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
   * Whether the data directory needs trust. `project` is the folder that it was found for: then it must be this user's own,
   * according to the trust store in `dataHome`. `null`: the user named it, so it needs no trust.
   */
  dataDirTrust: { project: string | null; dataHome: string | undefined };
  /**
   * The first root's skill wins where two have one name: those of the file, the bundled ones, then the places that nobody
   * named, so that what is found there never takes a name, and with it the grants, of what somebody did name.
   */
  skills: readonly SkillRoot[];
  /** By skill id. */
  grants: Readonly<Record<string, Capabilities>>;
  deny: Capabilities;
  /** By skill id: the MCP servers that it may bring, each with the definition that was granted. */
  mcpServers: Readonly<Record<string, McpServers>>;
  /** By name; no two differ in nothing but case. */
  phases: Readonly<Record<string, Required<PhaseSettings>>>;
  agents: Readonly<Record<string, Required<AgentSettings>>>;
  /** Folders of the host, absolute, from which a caller may have context gathered for a prompt. */
  contextRoots: readonly string[];
  /** By name; where each is kept, never what it is. */
  secrets: Readonly<Record<string, SecretLocation>>;
  /** What `ambit import` may fetch from, and how long it waits for each file. */
  imports: { network: readonly NetworkRule[]; timeoutMs: number };
  /** Bounds for every call. */
  limits: RequestedLimits;
  /** How many calls run and wait. */
  queue: QueueLimits;
  /** How many host processes wait for calls of WASM skills. */
  wasmHosts: number;
  /** How many programs of all skills together may wait for calls. */
  prewarm: number;
  /** How long such a program waits for a call before it is replaced. */
  maxPrewarmSeconds: number;
  /** `untrustedTools`: whether untrusted skills are tools over MCP. */
  mcp: { untrustedTools: boolean };
  audit: AuditSettings;
  /** For how long answers are kept under their idempotency keys; 0: none are. */
  idempotency: { keepHours: number };
  workspaces: WorkspaceSettings;
  logLevel: (typeof logLevels)[number];
  /** Where an OpenTelemetry collector takes OTLP over HTTP, a URL; `null`: nowhere. Variables of OpenTelemetry go over it. */
  telemetry: { otlpEndpoint: string | null };
  /** The largest request that is read. */
  bodyLimitBytes: number;
  /** How long a stop lets calls go on before it cancels them. */
  shutdown: { drainMs: number };
  /** Whether the daemon reads its file again when that changes, without being told to. */
  watchConfig: boolean;
  /** Which daemon commands ask, where somebody named one; absent: that of the data directory. The file has no such thing. */
  daemon?: AskedDaemon;
}

/** The daemon at an address, and where the key for it is: absolute. `undefined`: not said. */
export interface AskedDaemon {
  url: string | undefined;
  keyFile: string | undefined;
}

/** Where the certificate (with what it is signed by) and its key are, both PEM and absolute. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** What the log keeps, for how long, and where copies of its checkpoints go. */
export interface AuditSettings extends PayloadPolicy {
  /** By skill id: where less or more is kept of one. */
  skills: Readonly<Record<string, Pick<PayloadPolicy, 'payloads'>>>;
  /** What is older than so many days goes; `null`: nothing does for its age. */
  retentionDays: number | null;
  /** What is beyond so many bytes of log goes, the oldest first; `null`: nothing does for its size. */
  retentionBytes: number | null;
  /** What goes: only what was kept of inputs and outputs, or whole events. */
  prune: 'payloads' | 'events';
  /** `null`: checkpoints are only kept in the log itself. */
  checkpoints: CheckpointsPlace | null;
  /** With less free, `/readyz` and the daemon's log warn. */
  warnFreeBytes: number;
  /** With less free, calls are refused. */
  minFreeBytes: number;
  /** Allocated ahead, to record the ends of running calls on a full disk; 0: no reserve. */
  reserveBytes: number;
}

/** How many workspaces a key may have, how large and for how long. What a wish names none of is what it gets, else the most. */
export interface WorkspaceSettings {
  /** Of one key; 0: none. */
  most: number;
  quotaBytes: number;
  maxQuotaBytes: number;
  /** After the last use. */
  expiresAfterSeconds: number;
  maxExpiresAfterSeconds: number;
}

/** A file to which a line is added for each, or a command that gets each as a line on its stdin. */
type CheckpointsPlace = { file: string } | { command: readonly string[] };

/** What the command line says of the configuration, as it was typed. Absent: nothing. */
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

/** Where a value comes from: `default`, `file:/srv/ambit.config.yaml`, `env:AMBIT_PORT` or `flag:--port`. */
export type Origin = 'default' | `file:${string}` | `env:${string}` | `flag:--${string}`;

/** A value of the configuration, and the layer that it comes from. */
export interface Sourced<T> {
  value: T;
  origin: Origin;
}

/** One value of the configuration, by its place in the file: `listen.port`, `grants.git-summary`. */
export interface ConfigEntry extends Sourced<unknown> {
  key: string;
}

/** What the configuration is loaded from; only `main.ts` reads them from the process. */
export interface ConfigSources {
  flags: ConfigFlags;
  env: Environment;
  /** Absolute, as is `home`. */
  cwd: string;
  home: string;
  /** The folder of this user's own data and of the trust store; `undefined` if there is none. */
  dataHome: string | undefined;
}
