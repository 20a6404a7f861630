import type { PromptAnswer, PromptBody, SkillDetail, SkillList } from '@ambit/api';
import type {
  ConsoleCode,
  ConsoleSession,
  Workspace,
  WorkspaceFile,
  WorkspaceOptions,
  WorkspaceSummary,
} from '@ambit/client';
import type { Catalog } from '@ambit/core';
import type { AuditReader } from '@ambit/core/audit';
import type { CallerInput, Narrowing, RunObserver } from '@ambit/core/execute';
import type { ToolChecker } from '@ambit/runtime';
import type { RunningDaemon } from '@ambit/server/app';
import type { ClusterActions } from '@ambit/server/cluster';
import type { Config, ConfigEntry, ConfigFlags } from '@ambit/server/config';
import type { ReloadResult, StoppedDaemon } from '@ambit/server/daemon';
import type { DoctorReport } from '@ambit/server/doctor';
import type { Installs, Requester } from '@ambit/server/installs';
import type {
  AuditProofs,
  KeyActions,
  LogBackup,
  Prompts,
  ProposeActions,
  PrunedPart,
  SigningActions,
  StagedSource,
  TrustActions,
} from '@ambit/server/local';
import type { AnsweredCall } from '@ambit/server/wire';

/**
 * The work of commands besides parsing and printing. `program.ts` provides it, so that commands need neither HTTP nor a
 * database.
 */
export interface Actions {
  /** The version that `ambit --version` prints. */
  version: string;
  /**
   * Rejects with a `ConfigError` that lists every mistake, or with an `UntrustedError` for a found file that is not trusted.
   */
  loadConfig(flags: CommandFlags): Promise<Config>;
  /** Every value of the configuration with its origin. Rejects like `loadConfig`. */
  configWithOrigins(flags: ConfigFlags): Promise<ConfigEntry[]>;
  /**
   * Resolves once the daemon listens. A reload uses the same flags. Rejects with a `SkillError`, a `Refusal`, or Node's
   * error for the address; with the reason of `stopped` if that ends the start.
   */
  startDaemon(config: Config, flags: ConfigFlags, stopped: AbortSignal): Promise<RunningDaemon>;
  /**
   * Tells the daemon that uses the data directory to reload its configuration. Rejects with `DAEMON_UNREACHABLE` if no
   * daemon runs or it does not respond.
   */
  reloadDaemon(config: Config): Promise<ReloadResult>;
  /**
   * Runs calls in the daemon of the data directory, or the named one. This and the other connections start a daemon if none
   * runs, unless `use` says otherwise.
   */
  connectRunner(config: Config, use?: DaemonUse): Promise<Runner>;
  connectLibrary(config: Config, use?: DaemonUse): Promise<DaemonLibrary>;
  connectWorkspaces(config: Config, use?: DaemonUse): Promise<WorkspaceClient>;
  connectConsole(config: Config, use?: DaemonUse): Promise<ConsoleClient>;
  /** Serves MCP over this process's stdin and stdout. */
  serveMcp(config: Config, use?: DaemonUse): Promise<McpConversation>;
  /**
   * Asks the daemon of the data directory to end, and waits until it has. `undefined`: none runs. Rejects with
   * `DATA_DIR_TAKEN` and `DAEMON_UNREACHABLE`. `signal` ends the wait.
   */
  stopDaemon(config: Config, signal: AbortSignal): Promise<StoppedDaemon | undefined>;
  /** Whether a daemon runs for the data directory, how it was started, and where its socket and log are; `undefined` if none runs. */
  daemonText(config: Config): Promise<string | undefined>;
  /** The daemon's log. */
  openAudit(config: Config, use?: DaemonUse): Promise<AuditSource>;
  /** The interpreter of Python in WebAssembly on this machine, in words. `fix`: what to do, because it cannot be used. */
  wasmPython(): Promise<{ text: string; fix?: string }>;
  /** Removes what retention does not keep; with `dryRun` only reports it, oldest first. Rejects without a retention, or if a daemon runs. */
  pruneAudit(config: Config, options: { dryRun: boolean }): Promise<readonly PrunedPart[]>;
  /** Copies the log to the absolute path `to`, which must not exist. */
  backupAudit(config: Config, to: string): Promise<LogBackup>;
  /** This and the other parts are loaded when a command needs them. */
  proofs(): Promise<AuditProofs>;
  keys(): Promise<KeyActions>;
  /** Copies the store and the keys from SQLite to PostgreSQL. Resolves to the number of rows in each table. */
  copyToPostgres(config: Config): Promise<Readonly<Record<string, number>>>;
  cluster(): Promise<ClusterActions>;
  trust(): Promise<TrustActions>;
  propose(): Promise<ProposeActions>;
  signing(): Promise<SigningActions>;
  catalog(config: Config): Promise<Catalog>;
  /**
   * Reads the skills of a folder, an archive or a repository into temporary folders, without running anything of them. The
   * caller closes the result. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE`.
   */
  readSource(
    config: Pick<Config, 'installs' | 'deny'>,
    typed: string,
    signal: AbortSignal,
  ): Promise<StagedSource>;
  /** The installed skills of the daemon, which records who changes them. Methods reject with `Refusal`s. */
  connectInstalls(config: Config, use?: DaemonUse): Promise<DaemonInstalls>;
  /** Folders and skills that the configuration names and that do not exist, one sentence each. */
  skillWarnings(config: Config): Promise<readonly string[]>;
  /** Checks tools as a call does. The caller closes it. */
  openToolChecker(): Promise<ToolChecker>;
  /**
   * Prompts from these skills without a configuration. Runs nothing, git neither. Context may come from any folder that this
   * user can read.
   */
  promptsWithoutConfig(catalog: Catalog): Promise<Prompts>;
  /** Pass `undefined` for an untrusted configuration: only the machine is checked then. */
  inspectMachine(config: Config | undefined): Promise<DoctorReport>;
}

/** The flags of a command that the configuration, or the wait for a daemon, depends on. */
export interface CommandFlags extends ConfigFlags {
  json?: boolean | undefined;
}

/** The ways in which a command uses the daemon. */
export interface DaemonUse {
  /** Ends the wait for a start, and the requests. */
  signal?: AbortSignal | undefined;
  /** Whether a daemon that the command starts ends with it. */
  isAlone?: boolean | undefined;
  /** Start none: rejects with `DAEMON_UNREACHABLE` if none runs. */
  onlyRunning?: boolean | undefined;
}

/** Installed skills for a client of the daemon, which knows who asks. */
export type DaemonInstalls = Pick<Installs, 'list' | 'review'> & {
  [Change in Exclude<keyof Installs, 'list' | 'review'>]: (
    ...change: ChangeOf<Parameters<Installs[Change]>>
  ) => ReturnType<Installs[Change]>;
};

type ChangeOf<Given> = Given extends [...infer Change, Requester]
  ? [...Change, Pick<Requester, 'signal'>]
  : never;

/** One call, parsed from the command line. */
export interface Call {
  skillId: string;
  input: CallerInput;
  narrowing: Narrowing;
  /** Adds a signed receipt to the answer, or to the `details` of a refusal. */
  receipt?: boolean;
  /** The workspace to run in; absent: a new one for this run. */
  workspace?: string;
  /** Whether a skill that has no workspace runs without `workspace`. */
  workspaceOptional?: boolean;
  /** Whether the answer includes the contents of changed files; absent: only for a call without `workspace`. */
  fileContents?: boolean;
}

/** Runs calls in a daemon. */
export interface Runner {
  /**
   * Calls `executeSkill` with an execution id, via and actor of its own. Rejects with its `SkillError`. `onEvent` receives
   * events as they happen. If a daemon produces them faster than they are read, the rest of the output events is dropped.
   */
  execute(call: Call, signal: AbortSignal, onEvent?: RunObserver): Promise<AnsweredCall>;
  /** The workspaces in which calls can run. `signal` aborts what it does. */
  workspaces(signal?: AbortSignal): RunWorkspaces;
  close(): Promise<void>;
}

/** An MCP session with the client that started this process. */
export interface McpConversation {
  /** Resolves when the client disconnects. */
  ended: Promise<void>;
  /** Cancels running calls and resolves when their records are closed. */
  close(): Promise<void>;
}

/** The log, for queries by commands. */
export interface AuditSource extends Omit<AuditReader, 'events'> {
  /** New events in order, until the signal is aborted. */
  follow(signal: AbortSignal): AsyncIterable<{ sequence: number; event: { kind: string } }>;
}

/** The one-time codes and sessions of a daemon's web console. Methods reject with `Refusal`s. */
export interface ConsoleClient {
  /** The address that signs in once. A daemon on demand listens there while the console is in use. */
  signIn(options: { readOnly: boolean }): Promise<{ url: string; expiresAt: string }>;
  /** A code that confirms this decision, or without one unlocks a session. */
  confirm(decision: string | undefined): Promise<ConsoleCode>;
  sessions(): Promise<readonly ConsoleSession[]>;
  revoke(id: string): Promise<void>;
}

/** The skills and prompts of a daemon. */
export interface DaemonLibrary {
  /** All skills that the key may see, some of the unusable folders, and the number of all unusable ones. */
  skills(): Promise<Omit<SkillList, 'next'>>;
  /** Rejects with `SKILL_NOT_FOUND`. */
  skill(id: string): Promise<SkillDetail>;
  compose(body: PromptBody): Promise<PromptAnswer>;
}

/** The operations on workspaces that a run needs. */
export type RunWorkspaces = Pick<WorkspaceClient, 'create' | 'putAll' | 'get' | 'remove'>;

/** The workspaces of a daemon's key. Each method rejects with the error of a daemon. */
export interface WorkspaceClient {
  create(options: WorkspaceOptions): Promise<Workspace>;
  list(): Promise<readonly WorkspaceSummary[]>;
  show(id: string): Promise<Workspace>;
  put(id: string, path: string, content: Uint8Array | Blob): Promise<WorkspaceFile>;
  /** Adds the files of a tar archive in one step. */
  putAll(id: string, archive: AsyncIterable<Uint8Array>): Promise<WorkspaceSummary>;
  /** A file in parts. `bytes` is its size, if it is known: the file is then never in memory as a whole. */
  get(id: string, path: string, bytes?: number): AsyncIterable<Uint8Array>;
  /** Removes one file, or without a path the whole workspace. */
  remove(id: string, path?: string): Promise<void>;
}
