import type { CapabilityKind } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { EgressConnection } from '../egress/egress-connection.ts';
import type { Grant } from '../grant/grant.ts';
import type { Outcome, Usage } from '../outcome/outcome.ts';
import type { UsedCapabilities } from '../outcome/used.ts';
import type { FileChange, WorkspaceFile } from '../workspace/workspace-file.ts';
import type { CallContext } from './call-context.ts';
import type { RunObserver } from './run-event.ts';

/** What a caller hands to a skill, in the shape of the skill's protocol. */
export type RunInput =
  /** The value, or its text, which executors write unchanged. */
  (
    | { protocol: 'json'; value: unknown }
    /** `args` follow the program's name; `stdin` is empty when the caller gave none. */
    | { protocol: 'command'; args: readonly string[]; stdin: string }
  ) & {
    /** What lies in the workspace when the run starts; only for a grant that has one. Absent: nothing. */
    files?: readonly WorkspaceFile[];
    /** Where the call comes from, for skills that can ask. */
    context?: { executionId: string; caller: CallContext };
  };

/** One finished run, as the executor saw it. */
export interface RunResult {
  outcome: Outcome;
  usage: Omit<Usage, 'queueMs'>;
  /** How long the run waited for a place to run in, if it had to; it is no part of `usage.durationMs`. */
  waitedMs?: number;
  /** What the skill wrote beside its output (stderr, plug-in log), bounded; without its lines of progress. */
  log: string;
  /** What the run left different in its workspace; absent where it has none, or did not end by itself. */
  files?: readonly FileChange[];
  /** What the run changed in its skill's store, which nothing has saved yet; absent: nothing. */
  state?: StateChange;
  /** What the run tried to touch and was not let; absent: nothing. */
  denials?: readonly Denial[];
  /** What it reached, or tried to; absent for a call without a network. */
  connections?: readonly EgressConnection[];
  /** What it used of what it was granted. */
  used: UsedCapabilities;
  /** The walls that stood around the run, for the audit record: `bubblewrap`, `node-permission`, … */
  sandbox: string;
}

/** What a run changed in its skill's store. It counts only if the run succeeds. */
interface StateChange {
  /** How many keys were added, changed or removed; at least 1. */
  keys: number;
  /** Applies all of it in one durable step. Rejects with a `StateError` where the store refuses it. */
  save(): Promise<void>;
}

/**
 * Runs granted skills of one runtime. The grant in the signature is the precondition: policy has spoken, for this
 * call. Implementations share one contract suite, so that a caller cannot tell them apart.
 *
 * `execute` resolves for every way in which a run can end, cancellation by `signal` included, and leaves nothing of the
 * run behind: no process, mount or file. It rejects with a `SkillError` only when the run could not be started.
 * The deadline `grant.limits.timeoutMs` is the executor's to keep. `onEvent` is told what the run writes while it runs.
 */
export interface SkillExecutor {
  /** The kinds of capability that this executor can hold a skill to. A grant of any other kind is not run. */
  readonly enforces: readonly CapabilityKind[];
  execute(grant: Grant, input: RunInput, signal: AbortSignal, onEvent?: RunObserver): Promise<RunResult>;
  /** Gets ready for calls with this grant, if the skill asks for it. Rejects with the error such a call would get. */
  prewarm?(grant: Grant): Promise<void>;
  /**
   * Stays ready for calls with these grants only, from now on. Resolves once every prewarmed program with another grant has
   * ended.
   */
  retain?(grants: readonly Grant[]): Promise<void>;
  /** Gives back what it keeps ready. No call may be under way. */
  close?(): Promise<void>;
}
