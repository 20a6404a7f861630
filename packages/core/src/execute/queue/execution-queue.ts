import type { Actor } from '../../audit/event-parts.ts';
import { amountText } from '../../capability/amount.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { type QueuedCall, type QueueLimits, type QueueSlot, queueSlots } from './queue-slots.ts';
import { type SharedMemory, unlimitedMemory } from './shared-memory.ts';
import { waitingCalls } from './waiting-calls.ts';

/** The parts that calls share across queues. */
export interface QueueParts {
  memory: SharedMemory;
  /** Milliseconds. */
  now(): number;
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
 * For this time, smaller calls pass a call that waits for memory. Then memory that becomes free is left to it. While it waits for
 * calls of its own key alone, calls of other keys pass for as long again.
 */
const passMs = 5000;

/** An empty queue with the given limits. */
export function executionQueue(
  limits: QueueLimits,
  { memory, now }: QueueParts = { memory: unlimitedMemory(), now: () => 0 },
): ExecutionQueue {
  const { queue } = limits;
  const slots = queueSlots(limits, memory, () => admitNext());
  const waiting = waitingCalls<Waiter>();
  /** The first waiting call that lacks nothing but memory. */
  let blocked: Waiter | undefined;

  const mayPass = ({ actor }: QueuedCall, first: Waiter | undefined): boolean => {
    if (first?.lacksMemorySince === undefined || now() - first.lacksMemorySince < passMs) return true;
    if (actor === first.actor) return false;
    if (slots.waitsForItsKey(first)) first.othersPassSince = now();
    return first.othersPassSince !== undefined && now() - first.othersPassSince < passMs;
  };

  const admitNext = (): void => {
    let first: Waiter | undefined;
    for (const waiter of waiting) {
      const tooLarge = beyondShare(waiter, memory);
      if (tooLarge !== undefined) {
        waiting.delete(waiter);
        waiter.refuse(tooLarge);
        continue;
      }
      if (!slots.areFree()) break;
      if (!slots.areFreeFor(waiter.skillId) || !mayPass(waiter, first)) continue;
      const slot = slots.take(waiter);
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

  const makeSpaceFor = (actor: Actor): void => {
    const displaced = waiting.displacedBy(actor);
    if (displaced === undefined)
      throw overloaded(`queue full: ${slots.count()} running, ${waiting.count()} waiting`, blocked);
    leave(displaced);
    // Does not name the other key, because its name is not for this caller.
    displaced.refuse(
      overloaded(
        `queue full: ${queue} waiting, more from key ${displaced.actor} than from any other; its latest call gave way to another key's call`,
        blocked,
      ),
    );
  };

  return {
    async enter(call, signal) {
      if (signal.aborted) return undefined;
      const tooLarge = beyondShare(call, memory);
      if (tooLarge !== undefined) throw tooLarge;
      const slot = slots.areFreeFor(call.skillId) && mayPass(call, blocked) ? slots.take(call) : undefined;
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
        if (slots.areFreeFor(call.skillId)) admitNext();
      });
    },
    load: () => ({ running: slots.count(), waiting: waiting.count() }),
  };
}

function overloaded(why: string, blocked: Waiter | undefined): SkillError {
  const more =
    blocked === undefined
      ? 'limits.concurrency or limits.queue'
      : 'limits.memoryShareBytes or limits.queue, because calls wait for memory';
  return new SkillError('OVERLOADED', `${why}; retry in a moment, or raise ${more}`);
}

/** The share may have been lowered since the call was admitted to the queue. */
function beyondShare({ skillId, memoryBytes = 0 }: QueuedCall, memory: SharedMemory): SkillError | undefined {
  const { share } = memory.load();
  if (memoryBytes <= share) return undefined;
  return new SkillError(
    'MEMORY_SHARE_EXCEEDED',
    `${skillId} needs ${bytesText(memoryBytes)} of memory, and all runs together have ${bytesText(share)}; call it with less memory (limits.memoryBytes)`,
  );
}

/** In MiB from there on, because what a call needs is seldom round. */
function bytesText(bytes: number): string {
  const MiB = 1024 * 1024;
  return bytes < MiB ? amountText('memoryBytes', bytes) : `${Math.ceil(bytes / MiB)} MiB`;
}
