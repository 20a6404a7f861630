import type { UnreadMemory } from './unread-memory.ts';

/** One thing that happened in an execution, numbered from 1. */
export interface JobEvent {
  id: number;
  name: string;
  /** JSON, on one line; of an ending in UTF-8. */
  data: string | Uint8Array;
}

/** An event that the ring keeps. */
type KeptEvent = JobEvent & { data: string };

/** The latest events of one execution. */
export interface EventRing {
  add(name: string, data: string): void;
  /** Keeps what a reader has not `taken` yet, by the id of the last that it has, as far as there is memory. Returns what ends it. */
  read(taken: () => number): () => void;
  /** Those after an id that are still there, and how many between are not. */
  after(id: number): { missed: number; events: readonly JobEvent[] };
  /** The id of the latest; 0 before the first. */
  lastId(): number;
  /** What the events that are still there come to. */
  bytes(): number;
}

/** What an event takes beside its text. */
const overheadBytes = 64;

/** An empty ring. When it is over `bytesMax` the oldest go, but for those that a reader has yet to take. */
export function eventRing(bytesMax: number, memory: UnreadMemory): EventRing {
  const borrow = memory.borrower();
  const readers = new Set<() => number>();
  let kept: KeptEvent[] = [];
  /** Where the kept ones begin: taking them off the front one by one would move all others each time. */
  let first = 0;
  let [bytes, lastId] = [0, 0];

  const trim = (): void => {
    // Nearly always.
    if (bytes <= bytesMax) return void borrow(0);
    const taken = Math.min(...[...readers].map((reader) => reader()));
    for (; bytes > bytesMax; first += 1) {
      const oldest = kept[first];
      if (oldest === undefined || (oldest.id > taken && borrow(bytes - bytesMax))) break;
      bytes -= sizeOf(oldest.data);
    }
    borrow(Math.max(0, bytes - bytesMax));
    if (first > 64 && first > kept.length / 2) {
      kept = kept.slice(first);
      first = 0;
    }
  };

  return {
    add(name, data) {
      lastId += 1;
      kept.push({ id: lastId, name, data });
      bytes += sizeOf(data);
      trim();
    },
    read(taken) {
      // Its own, so that two that say the same are two.
      const reader = (): number => taken();
      readers.add(reader);
      return () => {
        if (readers.delete(reader)) trim();
      };
    },
    after(id) {
      trim();
      const oldest = lastId - (kept.length - first) + 1;
      const missed = Math.max(0, Math.min(oldest, lastId + 1) - 1 - id);
      return { missed, events: kept.slice(first + Math.max(0, id + 1 - oldest)) };
    },
    lastId: () => lastId,
    bytes: () => bytes,
  };
}

/** Two bytes a character at most: how long it is in UTF-8 would have to be counted. */
function sizeOf(data: string): number {
  return 2 * data.length + overheadBytes;
}
