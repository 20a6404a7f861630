import type { Actor } from '@ambit/core';
import type { Job } from './job.ts';
import type { JobBounds } from './job-bounds.ts';

/** Executions that have ended, for those who ask for them afterwards. */
export interface FinishedJobs {
  add(execution: Job): void;
  find(executionId: string): Job | undefined;
}

interface FinishedJob {
  execution: Job;
  bytes: number;
  until: number;
}

/**
 * Keeps within the bounds, the latest always. What goes to make room is the oldest of the key that has most of it, so that
 * one key's calls do not drive out everybody else's.
 */
export function finishedJobs({ most, bytesMax, forMs }: JobBounds['kept'], now: () => number): FinishedJobs {
  /** In the order in which they ended. */
  const kept = new Map<string, FinishedJob>();
  const byActor = new Map<Actor, number>();
  let bytes = 0;

  const remove = (id: string, { execution: { actor }, ...gone }: FinishedJob): void => {
    kept.delete(id);
    bytes -= gone.bytes;
    byActor.set(actor, (byActor.get(actor) ?? 0) - gone.bytes);
    if ((byActor.get(actor) ?? 0) <= 0) byActor.delete(actor);
  };
  const removeOld = (): void => {
    const time = now();
    for (const [id, one] of kept) {
      if (one.until > time) return;
      remove(id, one);
    }
  };
  const removeOne = (): void => {
    const [greatest] = [...byActor].reduce((a, b) => (b[1] > a[1] ? b : a));
    for (const [id, one] of kept) {
      if (one.execution.actor !== greatest) continue;
      remove(id, one);
      return;
    }
  };

  return {
    add(execution) {
      removeOld();
      const one = { execution, bytes: sizeOf(execution), until: now() + forMs };
      while (kept.size > 0 && (kept.size >= most || bytes + one.bytes > bytesMax)) removeOne();
      kept.set(execution.executionId, one);
      bytes += one.bytes;
      byActor.set(execution.actor, (byActor.get(execution.actor) ?? 0) + one.bytes);
    },
    find(executionId) {
      removeOld();
      return kept.get(executionId)?.execution;
    },
  };
}

function sizeOf(execution: Job): number {
  const state = execution.state();
  return execution.eventBytes() + (state.status === 'finished' ? state.ending.body.bytes.length : 0);
}
