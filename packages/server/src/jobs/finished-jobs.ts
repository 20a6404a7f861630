import type { Actor } from '@ambit/core/audit';
import type { Job } from './job.ts';
import type { JobBounds } from './job-bounds.ts';

/** Jobs that have ended, for later requests. */
export interface FinishedJobs {
  add(job: Job): void;
  find(executionId: string): Job | undefined;
}

interface StoredJob {
  job: Job;
  bytes: number;
  expiresAt: number;
}

/**
 * Stores jobs within the bounds; the latest is always stored. To make space, removes the oldest job of the
 * key with the most bytes, so one key's jobs do not evict all others.
 */
export function finishedJobs(
  { countMax, bytesMax, forMs }: JobBounds['finished'],
  now: () => number,
): FinishedJobs {
  /** In the order in which they ended. */
  const jobs = new Map<string, StoredJob>();
  const bytesByActor = new Map<Actor, number>();
  let bytes = 0;

  const remove = (id: string, { job: { actor }, bytes: freed }: StoredJob): void => {
    jobs.delete(id);
    bytes -= freed;
    const left = (bytesByActor.get(actor) ?? 0) - freed;
    if (left > 0) bytesByActor.set(actor, left);
    else bytesByActor.delete(actor);
  };
  const removeExpired = (): void => {
    const time = now();
    for (const [id, stored] of jobs) {
      if (stored.expiresAt > time) return;
      remove(id, stored);
    }
  };
  const removeOne = (): void => {
    const [greatest] = [...bytesByActor].reduce((a, b) => (b[1] > a[1] ? b : a));
    for (const [id, stored] of jobs) {
      if (stored.job.actor !== greatest) continue;
      remove(id, stored);
      return;
    }
  };

  return {
    add(job) {
      removeExpired();
      const stored = { job, bytes: sizeOf(job), expiresAt: now() + forMs };
      while (jobs.size > 0 && (jobs.size >= countMax || bytes + stored.bytes > bytesMax)) removeOne();
      jobs.set(job.executionId, stored);
      bytes += stored.bytes;
      bytesByActor.set(job.actor, (bytesByActor.get(job.actor) ?? 0) + stored.bytes);
    },
    find(executionId) {
      removeExpired();
      return jobs.get(executionId)?.job;
    },
  };
}

function sizeOf(job: Job): number {
  const state = job.state();
  return job.eventBytes() + (state.status === 'finished' ? state.response.body.bytes.length : 0);
}
