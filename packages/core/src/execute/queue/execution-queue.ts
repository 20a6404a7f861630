import type { Actor } from '../../audit/event-parts.ts';
import { amountText } from '../../capability/amount.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { type SharedMemory, unlimitedMemory } from './shared-memory.ts';
import { waitingCalls } from './waiting-calls.ts';

/** The limits of a queue. */
export interface QueueLimits {
  /** Running calls in total. */
  concurrency: number;
  /** Running calls of one skill. */
  concurrencyPerSkill: number;
  /** Waiting calls. */
  queue: number;
}

/** What calls share beyond one queue. */
export interface QueueParts {
  memory: SharedMemory;
  /** Milliseconds. */
  now(): number;
}

/** A slot to run in. A second `release` has no effect. */
export interface QueueSlot {
  release(): void;
}

/** The parts of a call that the queue needs. */
interface QueuedCall {
  readonly skillId: string;
  readonly actor: Actor;
  /** The chain or batch of the call. */
  readonly parentId?: string | undefined;
  /** The memory that it reserves. Absent: none. */
  readonly memoryBytes?: number | undefined;
}

/** Runs calls in the order of arrival, within the limits and the shared memory. */
export interface ExecutionQueue {
  /**
   * A slot, or `undefined` if `signal` aborts first. A call whose
   * skill is at its limit does not delay the calls behind it, and a call that waits for memory delays smaller ones only
   * after `passMs`. Rejects with `OVERLOADED` if the queue is full, and with `MEMORY_SHARE_EXCEEDED` if the call needs more
   * than all of the memory. Also
   * rejects a waiting call of the key with the most waiting calls, when a call of a key with fewer arrives.
   */
  enter(call: QueuedCall, signal: AbortSignal): Promise<QueueSlot | undefined>;
  /** The current numbers of calls. */
  load(): QueueLoad;
}

/** The numbers of running and waiting calls. */
export interface QueueLoad {
  running: number;
  waiting: number;
}

interface Waiter extends QueuedCall {
  /** When it first lacked nothing but memory. */
  lacksMemorySince: number | undefined;
  /** When calls of other keys last began to pass it again. */
  othersPassSince: number | undefined;
  admit(slot: QueueSlot): void;
  refuse(error: SkillError): void;
}

/**
 * How long smaller calls pass a call that waits for memory. Then memory that becomes free is left to it. While it waits for
 * calls of its own key alone, calls of other keys pass for as long again.
 */
const passMs = 5000;

/** An empty queue with the given limits. */
export function executionQueue(
  { concurrency, concurrencyPerSkill, queue }: QueueLimits,
  { memory, now }: QueueParts = { memory: unlimitedMemory(), now: () => 0 },
): ExecutionQueue {
  const running = new Map<string, number>();
  /** The memory of each key's running calls. */
  const held = new Map<Actor, number>();
  const waiting = waitingCalls<Waiter>();
  let total = 0;
  /** The first waiting call that lacks nothing but memory. */
  let blocked: Waiter | undefined;

  const hasPlace = (skillId: string): boolean =>
    total < concurrency && (running.get(skillId) ?? 0) < concurrencyPerSkill;

  const mayPass = ({ actor }: QueuedCall, first: Waiter | undefined): boolean => {
    if (first?.lacksMemorySince === undefined || now() - first.lacksMemorySince < passMs) return true;
    if (actor === first.actor) return false;
    if (waitsForItsKey(first)) first.othersPassSince = now();
    return first.othersPassSince !== undefined && now() - first.othersPassSince < passMs;
  };

  /** Whether only calls of its own key are in its way: one key's calls must not stop all others. */
  const waitsForItsKey = ({ actor, memoryBytes = 0 }: Waiter): boolean => {
    const { reserved, share } = memory.load();
    return reserved - (held.get(actor) ?? 0) + memoryBytes <= share;
  };

  /** `undefined` if the memory is not free. */
  const take = ({ skillId, actor, memoryBytes = 0 }: QueuedCall): QueueSlot | undefined => {
    const free = memory.reserve(memoryBytes);
    if (free === undefined) return undefined;
    const hold = (bytes: number): void => {
      const sum = (held.get(actor) ?? 0) + bytes;
      if (sum === 0) held.delete(actor);
      else held.set(actor, sum);
    };
    hold(memoryBytes);
    total++;
    running.set(skillId, (running.get(skillId) ?? 0) + 1);
    let taken = true;
    return {
      release() {
        if (!taken) return;
        taken = false;
        total--;
        const left = (running.get(skillId) ?? 1) - 1;
        if (left === 0) running.delete(skillId);
        else running.set(skillId, left);
        hold(-memoryBytes);
        free();
        admitNext();
      },
    };
  };

  const admitNext = (): void => {
    let first: Waiter | undefined;
    for (const waiter of waiting) {
      const tooLarge = beyondShare(waiter);
      if (tooLarge !== undefined) {
        waiting.delete(waiter);
        waiter.refuse(tooLarge);
        continue;
      }
      if (total >= concurrency) break;
      if (!hasPlace(waiter.skillId) || !mayPass(waiter, first)) continue;
      const slot = take(waiter);
      if (slot === undefined) {
        waiter.lacksMemorySince ??= now();
        first ??= waiter;
        continue;
      }
      waiting.delete(waiter);
      waiter.admit(slot);
    }
    blocked = first;
    if (blocked !== undefined) memory.whenFreed(admitNext);
  };

  const leave = (waiter: Waiter): void => {
    waiting.delete(waiter);
    // Others may have waited for it.
    if (waiter === blocked) admitNext();
  };

  /** The share may have been lowered since the call was admitted to the queue. */
  const beyondShare = ({ skillId, memoryBytes = 0 }: QueuedCall): SkillError | undefined => {
    const { share } = memory.load();
    if (memoryBytes <= share) return undefined;
    return new SkillError(
      'MEMORY_SHARE_EXCEEDED',
      `${skillId} needs ${bytesText(memoryBytes)} of memory, and all runs together have ${bytesText(share)}; call it with less memory (limits.memoryBytes)`,
    );
  };

  const makeSpaceFor = (actor: Actor): void => {
    const displaced = waiting.displacedBy(actor);
    if (displaced === undefined) throw overloaded(`queue full: ${total} running, ${waiting.count()} waiting`);
    leave(displaced);
    // Does not name the other key, because its name is not for this caller.
    displaced.refuse(
      overloaded(
        `queue full: ${queue} waiting, more from key ${displaced.actor} than from any other; its latest call gave way to another key's call`,
      ),
    );
  };

  const overloaded = (why: string): SkillError => {
    const more =
      blocked === undefined
        ? 'limits.concurrency or limits.queue'
        : 'limits.memoryShareBytes or limits.queue, because calls wait for memory';
    return new SkillError('OVERLOADED', `${why}; retry in a moment, or raise ${more}`);
  };

  return {
    async enter(call, signal) {
      if (signal.aborted) return undefined;
      const tooLarge = beyondShare(call);
      if (tooLarge !== undefined) throw tooLarge;
      const slot = hasPlace(call.skillId) && mayPass(call, blocked) ? take(call) : undefined;
      if (slot !== undefined) return slot;
      return new Promise((resolve, reject) => {
        if (waiting.count() >= queue) makeSpaceFor(call.actor);
        const abort = (): void => {
          leave(waiter);
          resolve(undefined);
        };
        const waiter: Waiter = {
          skillId: call.skillId,
          actor: call.actor,
          memoryBytes: call.memoryBytes,
          lacksMemorySince: undefined,
          othersPassSince: undefined,
          admit(given) {
            signal.removeEventListener('abort', abort);
            resolve(given);
          },
          refuse(error) {
            signal.removeEventListener('abort', abort);
            reject(error);
          },
        };
        waiting.add(waiter);
        signal.addEventListener('abort', abort, { once: true });
        if (hasPlace(call.skillId)) admitNext();
      });
    },
    load: () => ({ running: total, waiting: waiting.count() }),
  };
}

/** In MiB from there on, because what a call needs is seldom round. */
function bytesText(bytes: number): string {
  const MiB = 1024 * 1024;
  return bytes < MiB ? amountText('memoryBytes', bytes) : `${Math.ceil(bytes / MiB)} MiB`;
}
