import type { Checkpoint, EventReceipt, Receipt, Signed } from '@ambit/core/audit';
import type { FileIdentity } from '../../sqlite/file-identity.ts';
import type { ErrorOnTheWire } from '../../sqlite/thread-error.ts';
import type { HeldLock } from '../file/held-lock.ts';
import type { PlanProgress, PrunePlan, PruneRules } from '../retention/plan-pruning.ts';
import type { SignedPlan } from '../retention/sign-pruning.ts';
import type { EventRow } from './event-row.ts';
import type { SpaceLevel, SpaceRules } from './log-space.ts';

/** The start data of the thread. */
export interface WriterStart {
  file: string;
  /** Absolute, like `file`. */
  keyFile: string;
  /**
   * The identity of the file that an earlier thread had open, which must be the same; `null` for
   * the first thread.
   */
  opened: FileIdentity | null;
  /** A UUID that names the writer, the same for all threads of this process. */
  writer: string;
  /** Checked before every write; `null` for a log that no other process can open. */
  lock: HeldLock | null;
  /** `null`: the log is written as long as there is space. */
  space: SpaceRules | null;
}

/** The first message of the thread: it has opened the file, or the error. */
export type WriterReady = { opened: FileIdentity } | { failed: ErrorOnTheWire };

/**
 * The requests to the thread. Each gets one answer, in order, except `close`: the thread then ends.
 */
export type WriterRequest =
  | { kind: 'append'; rows: readonly EventRow[] }
  | { kind: 'open-executions' }
  /** Whether the file still exists and, with `writes`, accepts a test write. */
  | { kind: 'probe'; writes: boolean }
  /** The free space, by the rules given at the start. */
  | { kind: 'room' }
  | { kind: 'last-digests' }
  /** Begins, continues or ends a plan. */
  | { kind: 'plan-pruning'; rules: PruneRules; now: number }
  | { kind: 'continue-plan'; progress: PlanProgress }
  | { kind: 'end-plan'; progress: PlanProgress }
  /**
   * Deletes some of what may be deleted; with `plan`, what the plan covers may be deleted from now
   * on.
   */
  | { kind: 'prune'; plan: PrunePlan | null }
  | { kind: 'receipt'; executionId: string }
  | { kind: 'event-receipt'; sequence: number }
  /** Signs the unsigned events, if any. */
  | { kind: 'sign' }
  | { kind: 'close' };

/**
 * The accepted events of a batch have consecutive sequences from `first` on, with 32 bytes of
 * `hashes` each.
 */
export interface AppendResult {
  first: number;
  hashes: Uint8Array;
  /** Refused events, by their index in the batch. */
  refused: readonly { index: number; error: ErrorOnTheWire }[];
}

/** By subject, `policy` or `skill:ID`: the digest in the last event that recorded a change. */
export type LastDigests = readonly { subject: string; digest: string }[];

/** The answer to each kind of request. */
export interface WriterAnswers {
  append: AppendResult;
  'open-executions': string[];
  probe: null;
  room: SpaceLevel;
  'last-digests': LastDigests;
  'plan-pruning': PlanProgress;
  'continue-plan': PlanProgress;
  'end-plan': SignedPlan | undefined;
  /** Whether everything has been deleted. */
  prune: boolean;
  receipt: Signed<Receipt> | undefined;
  'event-receipt': Signed<EventReceipt> | undefined;
  sign: null;
}

/** Sent without a request: the log is signed up to here. */
export interface WriterCheckpoint {
  signed: Signed<Checkpoint>;
}

/** Sent without a request, for the operator. */
export interface WriterNote {
  note: string;
}

export type WriterAnswer = { answer: WriterAnswers[keyof WriterAnswers] } | { failed: ErrorOnTheWire };
