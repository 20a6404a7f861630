import type { Actor } from '../../audit/event-parts.ts';
import type { Awaitable } from '../../awaitable.ts';
import { SkillError } from '../../outcome/skill-error.ts';
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
}

/** Runs calls in the order of arrival, within the limits. */
export interface ExecutionQueue {
  /**
   * A slot, or `undefined` if `signal` aborts first; a promise for a call that has to wait. A call whose
   * skill is at its limit does not delay the calls behind it. Rejects with `OVERLOADED` if the queue is full. Also
   * rejects a waiting call of the key with the most waiting calls, when a call of a key with fewer arrives.
   */
  enter(call: QueuedCall, signal: AbortSignal): Awaitable<QueueSlot | undefined>;
  /** The current numbers of calls. */
  load(): QueueLoad;
}

/** The numbers of running and waiting calls. */
export interface QueueLoad {
  running: number;
  waiting: number;
}

interface Waiter extends QueuedCall {
  admit(slot: QueueSlot): void;
  refuse(error: SkillError): void;
}

/** An empty queue with the given limits. */
export function executionQueue({ concurrency, concurrencyPerSkill, queue }: QueueLimits): ExecutionQueue {
  const running = new Map<string, number>();
  const waiting = waitingCalls<Waiter>();
  let total = 0;

  const mayRun = (skillId: string): boolean =>
    total < concurrency && (running.get(skillId) ?? 0) < concurrencyPerSkill;

  const take = (skillId: string): QueueSlot => {
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
        admitNext();
      },
    };
  };

  const admitNext = (): void => {
    for (const waiter of waiting) {
      if (total >= concurrency) return;
      if (!mayRun(waiter.skillId)) continue;
      waiting.delete(waiter);
      waiter.admit(take(waiter.skillId));
    }
  };

  const makeSpaceFor = (actor: Actor): void => {
    const displaced = waiting.displacedBy(actor);
    if (displaced === undefined) throw overloaded(`queue full: ${total} running, ${waiting.count()} waiting`);
    waiting.delete(displaced);
    // Does not name the other key, because its name is not for this caller.
    displaced.refuse(
      overloaded(
        `queue full: ${queue} waiting, more from key ${displaced.actor} than from any other; its latest call gave way to another key's call`,
      ),
    );
  };

  return {
    enter({ skillId, actor }, signal) {
      if (signal.aborted) return undefined;
      if (mayRun(skillId)) return take(skillId);
      return new Promise((resolve, reject) => {
        if (waiting.count() >= queue) makeSpaceFor(actor);
        const abort = (): void => {
          waiting.delete(waiter);
          resolve(undefined);
        };
        const waiter: Waiter = {
          ...{ skillId, actor },
          admit(slot) {
            signal.removeEventListener('abort', abort);
            resolve(slot);
          },
          refuse(error) {
            signal.removeEventListener('abort', abort);
            reject(error);
          },
        };
        waiting.add(waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    load: () => ({ running: total, waiting: waiting.count() }),
  };
}

function overloaded(why: string): SkillError {
  return new SkillError(
    'OVERLOADED',
    `${why}; retry in a moment, or raise limits.concurrency or limits.queue`,
  );
}
