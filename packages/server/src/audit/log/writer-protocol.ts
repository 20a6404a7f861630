import { SkillError, type SkillErrorCode } from '@ambit/core';
import type { Checkpoint, Receipt, Signed } from '@ambit/core/internal';
import type { HeldLock } from '../held-lock.ts';
import type { PlanProgress, PrunePlan, PruneRules } from '../retention/plan-pruning.ts';
import type { SignedPlan } from '../sign/sign-pruning.ts';
import type { EventRow } from './event-row.ts';
import type { SpaceLevel, SpaceRules } from './log-space.ts';
import type { FileIdentity } from './open-log-file.ts';

/** What the thread is started with. */
export interface WriterStart {
  file: string;
  /** Absolute, as `file`. */
  keyFile: string;
  /** The file that a thread before this one had open, and which it has to be still; `null` for the first. */
  opened: FileIdentity | null;
  /** Names the writer, the same for every thread that comes after the first: a UUID. */
  writer: string;
  /** Checked before every write; `null` for a log that no other process can open. */
  lock: HeldLock | null;
  /** `null`: the log is written as long as there is any room. */
  space: SpaceRules | null;
}

/** The first word of the thread: it has the file, or why not. */
export type WriterReady = { opened: FileIdentity } | { failed: ErrorOnTheWire };

/** What the thread is asked, one answer to each, in order; but `close` ends it, and its end is the answer. */
export type WriterRequest =
  | { kind: 'append'; rows: readonly EventRow[] }
  | { kind: 'open-executions' }
  /** Whether the file is there still and, with `writes`, takes a transaction that changes nothing. */
  | { kind: 'probe'; writes: boolean }
  /** How much room there is, by the rules that the thread was started with. */
  | { kind: 'room' }
  | { kind: 'last-digests' }
  /** Begins a plan, goes on with it, or ends it. */
  | { kind: 'plan-pruning'; rules: PruneRules; now: number }
  | { kind: 'continue-plan'; progress: PlanProgress }
  | { kind: 'end-plan'; progress: PlanProgress }
  /** Deletes some of what has been allowed to go; with `plan`, that may go from here on. */
  | { kind: 'prune'; plan: PrunePlan | null }
  | { kind: 'receipt'; executionId: string }
  | { kind: 'close' };

/** The events of a batch that were accepted stand one after another from `first` on, with 32 bytes of `hashes` each. */
export interface Appended {
  first: number;
  hashes: Uint8Array;
  /** What has no place, by its index in the batch. */
  refused: readonly { index: number; error: ErrorOnTheWire }[];
}

/** By subject, `policy` or `skill:ID`: the digest that the last event which told of a change said. */
export type LastDigests = readonly { subject: string; digest: string }[];

/** The answer to each kind of request. */
export interface WriterAnswers {
  append: Appended;
  'open-executions': string[];
  probe: null;
  room: SpaceLevel;
  'last-digests': LastDigests;
  'plan-pruning': PlanProgress;
  'continue-plan': PlanProgress;
  'end-plan': SignedPlan | undefined;
  /** Whether nothing of it is left. */
  prune: boolean;
  receipt: Signed<Receipt> | undefined;
}

/** Said without having been asked: the log is signed for up to here. */
export interface WriterSigned {
  signed: Signed<Checkpoint>;
}

/** Sent unasked, for the operator. */
export interface WriterNote {
  note: string;
}

export type WriterAnswer = { answer: WriterAnswers[keyof WriterAnswers] } | { failed: ErrorOnTheWire };

/** A `SkillError`, as it crosses from one thread to another, where classes are lost. */
export interface ErrorOnTheWire {
  code: SkillErrorCode;
  message: string;
  cause: { message: string; code: unknown } | null;
}

export function toWire({ code, message, cause }: SkillError): ErrorOnTheWire {
  if (!(cause instanceof Error)) return { code, message, cause: null };
  return { code, message, cause: { message: cause.message, code: (cause as { code?: unknown }).code } };
}

export function fromWire({ code, message, cause }: ErrorOnTheWire): SkillError {
  if (cause === null) return new SkillError(code, message);
  return new SkillError(code, message, {
    cause: Object.assign(new Error(cause.message), { code: cause.code }),
  });
}
