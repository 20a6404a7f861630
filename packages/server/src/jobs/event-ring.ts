import type { CallEvent } from '@ambit/api';
import type { UnreadMemory } from './unread-memory.ts';

/** An event of a job, numbered from 1. */
export interface JobEvent {
  id: number;
  name: CallEvent['event'];
  /** JSON on one line; the response as UTF-8 bytes. */
  data: string | Uint8Array;
}

/** An event in the ring. */
type StoredEvent = JobEvent & { data: string };

/** The latest events of one job. */
export interface EventRing {
  add(name: CallEvent['event'], data: string): void;
  /** Retains events after the id that `taken` returns, as far as memory allows. Returns a function that ends this. */
  read(taken: () => number): () => void;
  /** The stored events after an id, and how many in between are no longer stored. */
  after(id: number): { missed: number; events: readonly JobEvent[] };
  /** The id of the latest event; 0 before the first. */
  lastId(): number;
  /** The memory of the stored events. */
  bytes(): number;
}

/** Memory of an event besides its text. */
const overheadBytes = 64;

/** An empty ring. Above `bytesMax` it drops the oldest events, except events that a reader has not taken yet. */
export function eventRing(bytesMax: number, memory: UnreadMemory): EventRing {
  const borrow = memory.borrower();
  const readers = new Set<() => number>();
  let stored: StoredEvent[] = [];
  /** The index of the oldest stored event. Removing each event from the array would move all others. */
  let first = 0;
  let [bytes, lastId] = [0, 0];

  const trim = (): void => {
    // The usual case.
    if (bytes <= bytesMax) return void borrow(0);
    const taken = Math.min(...[...readers].map((reader) => reader()));
    for (; bytes > bytesMax; first += 1) {
      const oldest = stored[first];
      if (oldest === undefined || (oldest.id > taken && borrow(bytes - bytesMax))) break;
      bytes -= sizeOf(oldest.data);
    }
    borrow(Math.max(0, bytes - bytesMax));
    if (first > 64 && first > stored.length / 2) {
      stored = stored.slice(first);
      first = 0;
    }
  };

  return {
    add(name, data) {
      lastId += 1;
      stored.push({ id: lastId, name, data });
      bytes += sizeOf(data);
      trim();
    },
    read(taken) {
      // A new function, so that the same one can be added twice.
      const reader = (): number => taken();
      readers.add(reader);
      return () => {
        if (readers.delete(reader)) trim();
      };
    },
    after(id) {
      trim();
      const oldest = lastId - (stored.length - first) + 1;
      const missed = Math.max(0, Math.min(oldest, lastId + 1) - 1 - id);
      return { missed, events: stored.slice(first + Math.max(0, id + 1 - oldest)) };
    },
    lastId: () => lastId,
    bytes: () => bytes,
  };
}

/** An upper bound of two bytes a character, because counting the exact length in UTF-8 costs time. */
function sizeOf(data: string): number {
  return 2 * data.length + overheadBytes;
}
