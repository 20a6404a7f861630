import type { Checkpoint, Flaw, Signed } from '@ambit/core/audit';
import { readCheckpoint } from '../sign/read-checkpoints.ts';
import { isSignedBy } from '../sign/signed.ts';
import type { StoredLog } from './stored-log.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Compares a log, event by event, with its checkpoints. */
export interface CheckpointCheck {
  /** A flaw that is found before reading events. */
  beforehand: Flaw | undefined;
  /** Whether a checkpoint is at this event. */
  hasCheckpoint(sequence: number): boolean;
  /** Call it for each of those, with the computed hash in hex. */
  compare(sequence: number, hash: string): Flaw | undefined;
  /** The flaw after all events; `last` is the last event of the log. */
  afterwards(last: number): Flaw | undefined;
  /** The number of valid checkpoints, and the last event that one with a trusted key signs. */
  readonly held: number;
  readonly signedThrough: number;
}

/** A checkpoint follows each thousand events, so more unsigned events than this are a flaw. */
const unsignedMax = 2000;

/** `prunedThrough`: the last pruned event according to the log; 0 for none. */
export function checkpointCheck(
  log: StoredLog,
  outside: readonly Signed<Checkpoint>[],
  keys: TrustedKeys,
  prunedThrough: number,
): CheckpointCheck {
  // The location outside may have checkpoints of an earlier log.
  const ofThisLog = outside.filter(({ statement }) => statement.logId === log.logId);
  const { bySequence, beforehand } = collect(log, ofThisLog);
  const swapped = outside.at(-1)?.statement.logId;
  /** Checkpoints whose keys may become trusted later, with their positions. */
  const waiting: { sequence: number; keyId: string }[] = [];
  let [held, signedThrough] = [0, 0];

  const check = (signed: Signed<Checkpoint>, hash: string | undefined): Flaw | undefined => {
    const { sequence } = signed.statement;
    const key = keys.find(signed.keyId);
    // The event that handed over its key may have been pruned; nothing in the log depends on it.
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
    hasCheckpoint: (sequence) => bySequence.has(sequence),
    compare(sequence, hash) {
      const here = bySequence.get(sequence) ?? [];
      bySequence.delete(sequence);
      for (const signed of here) {
        const flaw = check(signed, hash);
        if (flaw !== undefined) return flaw;
      }
      return undefined;
    },
    afterwards(last) {
      const left = [...bySequence.values()]
        .flat()
        .sort((a, b) => a.statement.sequence - b.statement.sequence);
      for (const signed of left) {
        const { sequence } = signed.statement;
        // Checkpoints before the first event are of pruned events; one after the last event shows
        // that events are missing.
        const flaw = check(signed, undefined) ?? (sequence > last ? truncated(last, sequence) : undefined);
        if (flaw !== undefined) return flaw;
      }
      keys.lookBack(signedThrough);
      const untrusted = waiting.find(({ keyId }) => !keys.isTrusted(keyId));
      if (untrusted !== undefined) return unknownKey(untrusted.sequence, untrusted.keyId, keys.given);
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
): { bySequence: Map<number, Signed<Checkpoint>[]>; beforehand: Flaw | undefined } {
  const bySequence = new Map<number, Signed<Checkpoint>[]>();
  const place = (signed: Signed<Checkpoint>): void => {
    const { sequence } = signed.statement;
    bySequence.set(sequence, [...(bySequence.get(sequence) ?? []), signed]);
  };
  outside.forEach(place);
  for (const { sequence, signed } of log.checkpoints()) {
    const checkpoint = readCheckpoint(signed);
    if (checkpoint === undefined || checkpoint.statement.sequence !== sequence)
      return { bySequence, beforehand: forged(sequence) };
    if (checkpoint.statement.logId !== log.logId)
      return { bySequence, beforehand: otherLog(checkpoint.statement.logId, log.logId) };
    place(checkpoint);
  }
  return { bySequence, beforehand: undefined };
}

function otherLog(signed: string, found: string): Flaw {
  return {
    reason: 'swapped',
    sequence: null,
    message: `the checkpoints belong to the log ${signed}, but this is the log ${found}: it was replaced by another log, or its id was changed`,
  };
}

function unknownKey(sequence: number, keyId: string, given: string | null): Flaw {
  const whom =
    given === null ? 'which is not in the log' : `which the given key (${given}) does not vouch for`;
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
    message: `the checkpoint at event ${sequence} does not match its signature`,
  };
}

function rewritten(sequence: number): Flaw {
  return {
    reason: 'rewritten',
    sequence,
    message: `the log was rewritten up to event ${sequence} or later: its hash there differs from the signed one`,
  };
}

function truncated(last: number, seen: number): Flaw {
  return {
    reason: 'truncated',
    sequence: last + 1,
    message: `the log ends at event ${last}, but a checkpoint covers event ${seen}: later events were removed`,
  };
}

function unsigned(signedThrough: number, last: number): Flaw {
  return {
    reason: 'unsigned',
    sequence: signedThrough + 1,
    message: `no checkpoint covers events ${signedThrough + 1} to ${last}, but there should be one per thousand events: checkpoints were removed`,
  };
}
