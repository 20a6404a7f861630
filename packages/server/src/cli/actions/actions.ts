import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import type { AuditEvent, AuditReader, CallRecord } from '@ambit/core/audit';
import type { CallerInput, Narrowing } from '@ambit/core/execute';
import type { LogPruned, RunObserver } from '@ambit/core/internal';
import type { ToolChecker } from '@ambit/runtime';
import type { Config, ConfigEntry, ConfigFlags } from '../../config/config.ts';
import type { Answered } from '../../wire/answer/execute-answer.ts';
import type { Prompts } from '../../wire/prompts.ts';
import type { AuditProofs } from './audit-proofs.ts';
import type { DoctorReport } from './doctor-report.ts';
import type { KeyActions } from './key-actions.ts';
import type { DaemonLibrary } from './library.ts';
import type { TrustActions } from './trust-actions.ts';
import type { WorkspaceClient } from './workspace-client.ts';

/**
 * All that the commands do beside parsing and printing. `main.ts` makes them, so that this folder knows neither HTTP
 * nor the database, and tests bring their own.
 */
export interface Actions {
  /** What `ambit --version` prints. */
  version: string;
  /**
   * Rejects with a `ConfigError` that holds every mistake, and with an `UntrustedError` for a found file that is not trusted.
   */
  loadConfig(flags: ConfigFlags): Promise<Config>;
  /** The folders in which a configuration is looked for that nobody named, nearest first: absolute. */
  configFolders(): readonly string[];
  /** The same configuration, value by value. Rejects alike. */
  configWithOrigins(flags: ConfigFlags): Promise<ConfigEntry[]>;
  /**
   * Resolves once it listens; reads its configuration again with the same flags. Rejects with a `SkillError`, a
   * `CliError`, or with Node's own error for its address.
   */
  startDaemon(config: Config, flags: ConfigFlags): Promise<RunningDaemon>;
  /**
   * Has the daemon that holds the data directory read its configuration again. Resolves to what came of it; rejects with
   * `DAEMON_UNREACHABLE` when there is none, or it says nothing.
   */
  reloadDaemon(config: Config): Promise<ReloadReport>;
  /** The daemon that holds this data directory, or `undefined` when nobody does. See `daemonRunner`. */
  connectDaemon(config: Config): Promise<Runner | undefined>;
  /** Skills and prompts of the daemon that `--url` names; `undefined` where it names none, and they are read here. */
  connectLibrary(config: Config, signal?: AbortSignal): Promise<DaemonLibrary | undefined>;
  /** The workspaces of that daemon. Rejects with `DAEMON_UNREACHABLE` when there is none. */
  connectWorkspaces(config: Config, signal?: AbortSignal): Promise<WorkspaceClient>;
  /** Everything that a call needs, in this process. Only asked for when there is no daemon. */
  openRunner(config: Config): Promise<Runner>;
  /** Speaks MCP over this process's stdin and stdout: through the daemon where there is one, else with calls in this process. */
  serveMcp(config: Config): Promise<McpConversation>;
  /** The log: the daemon's where there is one, else as it is on disk. */
  openAudit(config: Config): Promise<AuditSource>;
  /** The file of this machine that skills run as a program of that name, or how to install one. */
  hostProgram(name: string): string;
  /** Some of the latest calls, newest first, where they can be had at once. */
  recentCalls(config: Config): Promise<readonly CallRecord[]>;
  /** What went, oldest first; with `dryRun` what would. Rejects when the configuration keeps everything, or a daemon runs. */
  pruneAudit(config: Config, options: { dryRun: boolean }): Promise<readonly PrunedPart[]>;
  /** Copies the log to a file that is not there yet: absolute. */
  backupAudit(config: Config, to: string): Promise<LogBackup>;
  proofs: AuditProofs;
  keys: KeyActions;
  trust: TrustActions;
  catalog(config: Config): Catalog;
  /** What checks tools as a call does; its user closes it. */
  openToolChecker(): ToolChecker;
  /** Over the same catalog, with context from wherever the user of the command line may read. */
  prompts(config: Config): Prompts;
  /** Pass `undefined` for an untrusted configuration: then only the machine itself is checked. */
  inspectMachine(config: Config | undefined): Promise<DoctorReport>;
}

/** What the log says of what was taken out of it. */
export type PrunedPart = Pick<LogPruned, 'what' | 'through' | 'hash' | 'count'>;

/** A copy of the log, and its last event; 0 and `null` for an empty one. */
export interface LogBackup {
  file: string;
  bytes: number;
  sequence: number;
  hash: string | null;
}

/** One call, as the command line parsed it. */
export interface Call {
  skillId: string;
  input: CallerInput;
  narrowing: Narrowing;
  /** Whether the answer, or the refusal's `details`, is to hold a signed receipt; absent: neither. */
  receipt?: boolean;
  /** The workspace that it runs in, of a daemon; absent: it has one for itself. */
  workspace?: string;
  /** Whether the answer is to hold the bytes of changed files; absent: where no workspace keeps them. */
  fileContents?: boolean;
}

/** What can run calls: this process, or a daemon. */
export interface Runner {
  /**
   * `executeSkill`, with an execution id, via and actor that the runner adds. Rejects with its `SkillError`. `onEvent` is told
   * what happens, whole or, where a daemon has more than its reader takes, its beginning.
   */
  execute(call: Call, signal: AbortSignal, onEvent?: RunObserver): Promise<Answered>;
  close(): Promise<void>;
}

/** MCP with a client that started this process. */
export interface McpConversation {
  /** Resolves when the client is gone. */
  ended: Promise<void>;
  /** Cancels what runs, and resolves when its records are closed. */
  close(): Promise<void>;
}

/** The log, as commands ask it. */
export interface AuditSource extends Omit<AuditReader, 'events'> {
  /** Events as they are written from now on, in order, until the signal. */
  follow(signal: AbortSignal): AsyncIterable<{ sequence: number; event: AuditEvent }>;
}

/** A daemon that listens, and what its banner says of it. */
export interface RunningDaemon {
  /** `http://127.0.0.1:7433`: with the port that it really has. */
  url: string;
  skills: readonly Skill[];
  broken: readonly BrokenSkill[];
  sandboxes: { process: SandboxState; wasm: SandboxState };
  /** Absolute. */
  keyFile: string;
  /** Absolute. */
  auditFile: string;
  /** Reads the configuration again. */
  reload(): Promise<ReloadReport>;
  /**
   * Stops taking calls, lets those that run go on for as long as the configuration says or until `hurry`, cancels them
   * then, and resolves when their records are closed.
   */
  close(hurry: AbortSignal): Promise<void>;
}

/** What came of reading the configuration again; `issues` says why it was refused, `changed` names what is otherwise. */
interface ReloadReport {
  outcome: 'applied' | 'unchanged' | 'refused';
  changed: readonly string[];
  issues: readonly string[];
  policyDigest: string;
}

/** The walls that calls of one runtime get, by name; or why there are none, and what to do about it. */
export type SandboxState = { works: true; name: string } | { works: false; detail: string; fix: string };
