import type { CapabilityKind } from '../../capability/capabilities.ts';
import type { Denial } from '../../capability/denial.ts';
import type { EgressConnection } from '../../egress/egress-connection.ts';
import type { Grant } from '../../grant/grant.ts';
import type { HostCalls } from '../../outcome/host-calls.ts';
import type { Outcome, Usage } from '../../outcome/outcome.ts';
import type { UsedCapabilities } from '../../outcome/used.ts';
import type { FileChange, WorkspaceEntry } from '../../workspace/workspace-file.ts';
import type { CallContext } from './call-context.ts';
import type { RunObserver } from './run-event.ts';

/** The input of a run, in the form of the skill's protocol. */
export type RunInput = (
  | { protocol: 'json' /** Executors write a `JsonText` unchanged. */; value: unknown }
  /**
   * `args` follow the program's name. `stdin` is empty if the caller sent none. `json` is a value to write there as JSON;
   * then stdout is read as JSON too, and returned as text if it is something else.
   */
  | { protocol: 'command'; args: readonly string[]; stdin: string | Uint8Array | { json: unknown } }
) & {
  /** The initial files of the workspace, for a grant with one. Absent: none. */
  files?: readonly WorkspaceEntry[];
  /**
   * Set if the workspace is a persistent one: what it may hold. Then the result may have contents that are read when they are
   * needed, until its `release`.
   */
  persistent?: { bytesMax: number; entriesMax: number } | undefined;
  /** The caller's context, for skills that can read it. */
  context?: { executionId: string; caller: CallContext };
  /**
   * Resolves when the beginning of the call's record is durable. An executor with `awaitsRecord` waits
   * for it. For any other, it has resolved already, or the run has no effect but its result. Absent: there
   * is no record.
   */
  recorded?: Promise<unknown>;
};

/** A finished run, reported by the executor. */
export interface RunResult {
  outcome: Outcome;
  usage: Omit<Usage, 'queueMs'>;
  /** The time that the run waited for an execution slot, which `usage.durationMs` does not include. Absent: it did not wait. */
  waitedMs?: number;
  /** The skill's text besides its output (stderr, plug-in log), bounded, without lines of progress. */
  log: string;
  /** The changes in the run's workspace. Absent if it has none, or the run was ended. */
  files?: readonly FileChange[];
  /** Ends the reading of `files`, and frees what the run left. Absent: all contents are in memory. */
  release?(): void;
  /** The unsaved changes to the skill's store. Absent: none. */
  state?: StateChange;
  /** Denied accesses. Absent: none. */
  denials?: readonly Denial[];
  /** Connections that it made or tried to make. Absent for a call without a network. */
  connections?: readonly EgressConnection[];
  /** The host functions that it called. Absent: none. */
  hostCalls?: HostCalls;
  /** The number of redactions in what the run received, wrote and returned. Absent: none. */
  redactions?: number;
  /** Programs that its scripts name or tried to start, that this machine has and the grant lacks. Absent: none. */
  missingPrograms?: readonly string[];
  /** The granted capabilities that it used. */
  used: UsedCapabilities;
  /** The name of the run's sandbox, for the audit record: `bubblewrap`, `node-permission`, … */
  sandbox: string;
}

/** A run's changes to its skill's store. They are saved only if the run succeeds. */
interface StateChange {
  /** The number of keys that were added, changed or removed; at least 1. */
  keys: number;
  /** Applies all changes in one durable step. Rejects with a `StateError` if the store refuses them. */
  save(): Promise<void>;
}

/**
 * Runs granted skills of one runtime. The grant in the signature is the precondition: policy has permitted
 * this call. All implementations pass one contract suite.
 *
 * `execute` resolves for every end of a run, including cancellation by `signal`, and leaves no process,
 * mount or file behind. It rejects with a `SkillError` only if the run could not start. The executor
 * enforces the deadline `grant.limits.timeoutMs`. `onEvent` receives what the run writes.
 */
export interface SkillExecutor {
  /** The kinds of capability that this executor can enforce. Calls with any other kind are refused. */
  readonly enforces: readonly CapabilityKind[];
  /**
   * Whether `execute` waits for `input.recorded` before anything of the skill runs or anything outside the
   * run changes, and rejects if it rejects. Absent: no, so it is called only once that has resolved.
   */
  readonly awaitsRecord?: boolean;
  execute(grant: Grant, input: RunInput, signal: AbortSignal, onEvent?: RunObserver): Promise<RunResult>;
  /** The memory that a call with this grant reserves. Absent: its limit. */
  reservedBytes?(grant: Grant): number;
  /** Prepares for calls with this grant, if the skill requests it. Rejects with the error of such a call. */
  prewarm?(grant: Grant): Promise<void>;
  /**
   * Retains prewarmed programs only for these grants. Resolves once every other prewarmed program has
   * ended.
   */
  retain?(grants: readonly Grant[]): Promise<void>;
  /** Ends prewarmed programs and hosts. No call may be running. */
  close?(): Promise<void>;
}
