import type { Checkpoint, Flaw, Signed } from '@ambit/core/internal';
import { isSignedBy } from '../sign/signed.ts';
import { readCheckpoint } from './read-checkpoints.ts';
import type { StoredLog } from './stored-log.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Compares a log, event by event, with what its checkpoints say of it. */
export interface CheckpointCheck {
  /** What is wrong with them before any event is looked at. */
  beforehand: Flaw | undefined;
  /** The events that some checkpoint speaks for. */
  speaksFor(sequence: number): boolean;
  /** To be called for each of those, with the chain's own hash there, in hex. */
  compare(sequence: number, hash: string): Flaw | undefined;
  /** What is wrong once all events have been seen; `last` is the last one of the log. */
  afterwards(last: number): Flaw | undefined;
  /** How many hold, and the last event that one with a trusted key speaks for. */
  readonly held: number;
  readonly signedThrough: number;
}

/** More events than these after the last checkpoint were not written by us: one follows each thousand. */
const unsignedMax = 2000;

/** `prunedThrough`: the events up to here are gone, as the log says; 0 for none. */
export function checkpointCheck(
  log: StoredLog,
  outside: readonly Signed<Checkpoint>[],
  keys: TrustedKeys,
  prunedThrough: number,
): CheckpointCheck {
  // A place outside may have checkpoints of a log that was here before.
  const ofThisLog = outside.filter(({ statement }) => statement.logId === log.logId);
  const { byPlace, beforehand } = collect(log, ofThisLog);
  const swapped = outside.at(-1)?.statement.logId;
  /** With keys that may turn out to be trusted later on, by where they stand. */
  const waiting: { sequence: number; keyId: string }[] = [];
  let [held, signedThrough] = [0, 0];

  const judge = (signed: Signed<Checkpoint>, hash: string | undefined): Flaw | undefined => {
    const { sequence } = signed.statement;
    const key = keys.find(signed.keyId);
    // What handed its key over to a later one may be gone with the events; nothing that is there hangs on it.
    if (sequence <= prunedThrough && (key === undefined || !keys.isTrusted(signed.keyId))) return undefined;
    if (key === undefined) return unknownKey(sequence, signed.keyId, keys.given);
    if (!isSignedBy(key, signed)) return forged(sequence);
    if (hash !== undefined && signed.statement.hash !== `sha256:${hash}`) return rewritten(sequence);
    held += 1;
    if (keys.isTrusted(signed.keyId)) signedThrough = Math.max(signedThrough, sequence);
    else waiting.push({ sequence, keyId: signed.keyId });
    return undefined;
  };

  return {
    beforehand: swapped === undefined || swapped === log.logId ? beforehand : otherLog(swapped, log.logId),
    speaksFor: (sequence) => byPlace.has(sequence),
    compare(sequence, hash) {
      const here = byPlace.get(sequence) ?? [];
      byPlace.delete(sequence);
      for (const signed of here) {
        const flaw = judge(signed, hash);
        if (flaw !== undefined) return flaw;
      }
      return undefined;
    },
    afterwards(last) {
      const left = [...byPlace.values()].flat().sort((a, b) => a.statement.sequence - b.statement.sequence);
      for (const signed of left) {
        const { sequence } = signed.statement;
        // What stands before the first event was pruned; a checkpoint after the last has seen more than there is.
        const flaw = judge(signed, undefined) ?? (sequence > last ? truncated(last, sequence) : undefined);
        if (flaw !== undefined) return flaw;
      }
      keys.lookBack(signedThrough);
      const stranger = waiting.find(({ keyId }) => !keys.isTrusted(keyId));
      if (stranger !== undefined) return unknownKey(stranger.sequence, stranger.keyId, keys.given);
      return last - signedThrough > unsignedMax ? unsigned(signedThrough, last) : undefined;
    },
    get held() {
      return held;
    },
    get signedThrough() {
      return signedThrough;
    },
  };
}

function collect(
  log: StoredLog,
  outside: readonly Signed<Checkpoint>[],
): { byPlace: Map<number, Signed<Checkpoint>[]>; beforehand: Flaw | undefined } {
  const byPlace = new Map<number, Signed<Checkpoint>[]>();
  const place = (signed: Signed<Checkpoint>): void => {
    const { sequence } = signed.statement;
    byPlace.set(sequence, [...(byPlace.get(sequence) ?? []), signed]);
  };
  outside.forEach(place);
  for (const { sequence, signed } of log.checkpoints()) {
    const checkpoint = readCheckpoint(signed);
    if (checkpoint === undefined || checkpoint.statement.sequence !== sequence)
      return { byPlace, beforehand: forged(sequence) };
    if (checkpoint.statement.logId !== log.logId)
      return { byPlace, beforehand: otherLog(checkpoint.statement.logId, log.logId) };
    place(checkpoint);
  }
  return { byPlace, beforehand: undefined };
}

function otherLog(signed: string, found: string): Flaw {
  return {
    reason: 'swapped',
    sequence: null,
    message: `the checkpoints are of the log ${signed}, and this is ${found}: another one was put in its place, or its id was changed`,
  };
}

function unknownKey(sequence: number, keyId: string, given: string | null): Flaw {
  const whom =
    given === null ? 'which the log does not know' : `for which the given key (${given}) does not speak`;
  return {
    reason: 'key-unknown',
    sequence,
    message: `the checkpoint at event ${sequence} is signed by the key ${keyId}, ${whom}`,
  };
}

function forged(sequence: number): Flaw {
  return {
    reason: 'checkpoint-forged',
    sequence,
    message: `the checkpoint at event ${sequence} is not what its key has signed`,
  };
}

function rewritten(sequence: number): Flaw {
  return {
    reason: 'rewritten',
    sequence,
    message: `the log was rewritten up to event ${sequence} or further: its hash there is not the one that was signed`,
  };
}

function truncated(last: number, seen: number): Flaw {
  return {
    reason: 'truncated',
    sequence: last + 1,
    message: `the log ends with event ${last}, and a checkpoint has seen event ${seen}: what came after ${last} was cut off`,
  };
}

function unsigned(signedThrough: number, last: number): Flaw {
  return {
    reason: 'unsigned',
    sequence: signedThrough + 1,
    message: `no checkpoint speaks for events ${signedThrough + 1} to ${last}, and one is written after each thousand: they were taken out`,
  };
}
