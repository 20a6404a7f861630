import type { Actor } from '../audit/event-parts.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { waitingCalls } from './waiting-calls.ts';

/** How many calls may run and wait. */
export interface QueueLimits {
  /** Runs at one time, in all. */
  concurrency: number;
  /** Runs at one time of any one skill. */
  concurrencyPerSkill: number;
  /** Calls that wait; one more is refused. */
  queue: number;
}

/** A place among the running calls. Giving it back twice does nothing. */
export interface QueueSlot {
  release(): void;
}

/** What a queue knows of a call. */
interface QueuedCall {
  readonly skillId: string;
  readonly actor: Actor;
}

/** Lets calls run in the order in which they came, up to the limits. */
export interface ExecutionQueue {
  /**
   * Resolves with a place, or with `undefined` when `signal` aborts first. A call that waits because its own skill is
   * at its limit holds up nobody behind it. Rejects with `OVERLOADED` when as many wait as may; of a call that waits, when
   * its key has most of them and one of a key with fewer comes.
   */
  enter(call: QueuedCall, signal: AbortSignal): Promise<QueueSlot | undefined>;
  /** How many calls run and wait now. */
  load(): QueueLoad;
}

/** What is in a queue at one moment. */
export interface QueueLoad {
  running: number;
  waiting: number;
}

interface Waiter extends QueuedCall {
  admit(place: QueueSlot): void;
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

  const makeRoomFor = (actor: Actor): void => {
    const going = waiting.goesFor(actor);
    if (going === undefined)
      throw overloaded(`${total} calls run and ${waiting.count()} wait, which is all that may`);
    waiting.delete(going);
    // Whose call it goes for is not said: the names of others' keys are not for everybody.
    going.refuse(
      overloaded(
        `the ${queue} places in which calls wait were taken, more of them by the key ${going.actor} than by any other, and a call of another got that of this one`,
      ),
    );
  };

  return {
    async enter({ skillId, actor }, signal) {
      if (signal.aborted) return undefined;
      if (mayRun(skillId)) return take(skillId);
      if (waiting.count() >= queue) makeRoomFor(actor);
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(waiter);
          resolve(undefined);
        };
        const waiter: Waiter = {
          ...{ skillId, actor },
          admit(place) {
            signal.removeEventListener('abort', abort);
            resolve(place);
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
    `${why}; try again in a moment, or raise limits.concurrency or limits.queue`,
  );
}
