import type { Actor } from '../../audit/event-parts.ts';
import type { SharedMemory } from './shared-memory.ts';

/** The limits of a queue. */
export interface QueueLimits {
  /** Running calls in total. */
  concurrency: number;
  /** Running calls of one skill. */
  concurrencyPerSkill: number;
  /** Waiting calls. */
  queue: number;
}

/** A slot to run in. A second `release` has no effect. */
export interface QueueSlot {
  release(): void;
}

/** The parts of a call that the queue needs. */
export interface QueuedCall {
  readonly skillId: string;
  readonly actor: Actor;
  /** The chain or batch of the call. */
  readonly parentId?: string | undefined;
  /** The memory that it reserves. Absent: none. */
  readonly memoryBytes?: number | undefined;
}

/** The slots of running calls. Each slot includes the memory of its call. */
export interface QueueSlots {
  /** The number of running calls. */
  count(): number;
  /** Whether a call may run as far as the number of all calls goes. */
  areFree(): boolean;
  areFreeFor(skillId: string): boolean;
  /** Whether only calls of its own key are in its way: one key's calls must not stop all others. */
  waitsForItsKey(call: QueuedCall): boolean;
  /** `undefined` if the memory is not free. */
  take(call: QueuedCall): QueueSlot | undefined;
}

/** `onRelease` is called after each call. */
export function queueSlots(
  { concurrency, concurrencyPerSkill }: QueueLimits,
  memory: SharedMemory,
  onRelease: () => void,
): QueueSlots {
  const running = counts<string>();
  /** The memory of each key's running calls. */
  const held = counts<Actor>();
  let total = 0;
  return {
    count: () => total,
    areFree: () => total < concurrency,
    areFreeFor: (skillId) => total < concurrency && running.of(skillId) < concurrencyPerSkill,
    waitsForItsKey({ actor, memoryBytes = 0 }) {
      const { reserved, share } = memory.load();
      return reserved - held.of(actor) + memoryBytes <= share;
    },
    take({ skillId, actor, memoryBytes = 0 }) {
      const free = memory.reserve(memoryBytes);
      if (free === undefined) return undefined;
      held.add(actor, memoryBytes);
      total++;
      running.add(skillId, 1);
      let taken = true;
      return {
        release() {
          if (!taken) return;
          taken = false;
          total--;
          running.add(skillId, -1);
          held.add(actor, -memoryBytes);
          free();
          onRelease();
        },
      };
    },
  };
}

/** A number for each key; 0 is not stored. */
function counts<Key>(): { of(key: Key): number; add(key: Key, number: number): void } {
  const all = new Map<Key, number>();
  return {
    of: (key) => all.get(key) ?? 0,
    add(key, number) {
      const sum = (all.get(key) ?? 0) + number;
      if (sum === 0) all.delete(key);
      else all.set(key, sum);
    },
  };
}
