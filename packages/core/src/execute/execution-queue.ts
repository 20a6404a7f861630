import { SkillError } from './skill-error.ts';

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
export interface Place {
  leave(): void;
}

/** Lets calls run in the order in which they came, up to the limits. */
export interface ExecutionQueue {
  /**
   * Resolves with a place, or with `undefined` when `signal` aborts first. A call that waits because its own skill is
   * at its limit holds up nobody behind it. Throws `OVERLOADED` when as many wait as may.
   */
  enter(skillId: string, signal: AbortSignal): Promise<Place | undefined>;
  /** How many calls run and wait now. */
  load(): QueueLoad;
}

/** What is in a queue at one moment. */
export interface QueueLoad {
  running: number;
  waiting: number;
}

interface Waiter {
  skillId: string;
  admit(place: Place): void;
}

/** An empty queue with the given limits. */
export function executionQueue({ concurrency, concurrencyPerSkill, queue }: QueueLimits): ExecutionQueue {
  const running = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;

  const mayRun = (skillId: string): boolean =>
    total < concurrency && (running.get(skillId) ?? 0) < concurrencyPerSkill;

  const take = (skillId: string): Place => {
    total++;
    running.set(skillId, (running.get(skillId) ?? 0) + 1);
    let taken = true;
    return {
      leave() {
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

  return {
    async enter(skillId, signal) {
      if (signal.aborted) return undefined;
      if (mayRun(skillId)) return take(skillId);
      if (waiting.size >= queue) {
        throw new SkillError(
          'OVERLOADED',
          `${total} calls run and ${waiting.size} wait, which is all that may; try again in a moment, or raise limits.concurrency or limits.queue`,
        );
      }
      return new Promise((resolve) => {
        const abort = (): void => {
          waiting.delete(waiter);
          resolve(undefined);
        };
        const waiter: Waiter = {
          skillId,
          admit(place) {
            signal.removeEventListener('abort', abort);
            resolve(place);
          },
        };
        waiting.add(waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    load: () => ({ running: total, waiting: waiting.size }),
  };
}
