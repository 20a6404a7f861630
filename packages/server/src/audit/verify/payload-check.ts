import { hash } from 'node:crypto';
import type { EventFacts, Flaw } from '@ambit/core/internal';
import type { StoredLog, StoredPayload } from './stored-log.ts';

/** Compares what was kept beside events with the digests that the events have of it. */
export interface PayloadCheck {
  /** Reads what belongs to the events after a sequence, up to another. */
  turnTo(after: number, through: number): void;
  compare(sequence: number, facts: EventFacts): Flaw | undefined;
  /** Takes note of an event by which payloads were taken out up to a sequence. */
  pruned(through: number): void;
  /** What is wrong once all events have been seen. */
  afterwards(): Flaw | undefined;
}

export function payloadCheck(log: StoredLog): PayloadCheck {
  let page = new Map<number, StoredPayload>();
  let [prunedThrough, firstMissing] = [0, 0];
  return {
    turnTo(after, through) {
      page = new Map(log.payloads(after, through).map((payload) => [payload.sequence, payload]));
    },
    compare(sequence, { kind, kept }) {
      const payload = page.get(sequence);
      if (payload === undefined) {
        if (kept === null) return undefined;
        if (sequence > log.payloadsPrunedThrough) return missing(sequence);
        // The log's own word for it, until an event says so.
        if (firstMissing === 0) firstMissing = sequence;
        return undefined;
      }
      const side = kind === 'call.started' ? 'input' : 'output';
      if (kept === null || payload.side !== side || digestOf(payload.text) !== kept.digest)
        return changed(sequence, side);
      return undefined;
    },
    pruned(through) {
      prunedThrough = Math.max(prunedThrough, through);
    },
    afterwards() {
      const isTold = prunedThrough >= log.payloadsPrunedThrough;
      return firstMissing === 0 || isTold ? undefined : missing(Math.max(firstMissing, prunedThrough + 1));
    },
  };
}

function digestOf(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}

function missing(sequence: number): Flaw {
  return {
    reason: 'payload-missing',
    sequence,
    message: `what event ${sequence} says was kept beside it, or what a later one does, is gone, and no pruning was recorded`,
  };
}

function changed(sequence: number, side: string): Flaw {
  return {
    reason: 'payload-changed',
    sequence,
    message: `what is kept as the ${side} of event ${sequence} is not what the event has the digest of`,
  };
}
