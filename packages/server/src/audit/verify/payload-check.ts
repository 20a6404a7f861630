import { hash } from 'node:crypto';
import type { EventFacts, Flaw } from '@ambit/core/audit';
import type { StoredLog, StoredPayload } from './stored-log.ts';

/** Compares stored payloads with the digests in their events. */
export interface PayloadCheck {
  /** Reads the payloads of the events after a sequence, up to another. */
  turnTo(after: number, through: number): void;
  compare(sequence: number, facts: EventFacts): Flaw | undefined;
  /** Notes that payloads up to a sequence were pruned. */
  pruned(through: number): void;
  /** The flaw after all events. */
  afterwards(): Flaw | undefined;
}

export function payloadCheck(log: StoredLog): PayloadCheck {
  let page = new Map<number, StoredPayload>();
  let [prunedThrough, firstMissing] = [0, 0];
  return {
    turnTo(after, through) {
      page = new Map(log.payloads(after, through).map((payload) => [payload.sequence, payload]));
    },
    compare(sequence, { kind, stored }) {
      const payload = page.get(sequence);
      if (payload === undefined) {
        if (stored === null) return undefined;
        if (sequence > log.payloadsPrunedThrough) return missing(sequence);
        // Pruned according to the log's metadata; an event must confirm it.
        if (firstMissing === 0) firstMissing = sequence;
        return undefined;
      }
      const side = kind === 'call.started' ? 'input' : 'output';
      if (stored === null || payload.side !== side || digestOf(payload.text) !== stored.digest)
        return changed(sequence, side);
      return undefined;
    },
    pruned(through) {
      prunedThrough = Math.max(prunedThrough, through);
    },
    afterwards() {
      const isRecorded = prunedThrough >= log.payloadsPrunedThrough;
      return firstMissing === 0 || isRecorded
        ? undefined
        : missing(Math.max(firstMissing, prunedThrough + 1));
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
    message: `the stored payload of event ${sequence} or a later event is missing, and no pruning was recorded`,
  };
}

function changed(sequence: number, side: string): Flaw {
  return {
    reason: 'payload-changed',
    sequence,
    message: `the stored ${side} of event ${sequence} does not match the digest in the event`,
  };
}
