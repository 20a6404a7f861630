import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import { finishedJobs } from './finished-jobs.ts';
import { type HeldMemory, heldMemory } from './held-memory.ts';
import { type Job, type JobOptions, type OpenJob, openJob } from './job.ts';
import type { JobBounds } from './job-bounds.ts';
import { linkedControllers } from './linked-controllers.ts';
import { unreadMemory } from './unread-memory.ts';

/** The jobs of a daemon: the running ones, and the latest that have ended. */
export interface Jobs extends HeldMemory {
  /** Throws `OVERLOADED` if the key has too many detached jobs, or the request does not fit into memory. */
  open(job: NewJob): OpenJob;
  /** `undefined` for an unknown job, and for a job that is no longer stored. A job with the lifetime `client` is never stored. */
  find(executionId: string): Job | undefined;
  /** Resolves when no job runs. */
  settled(): Promise<void>;
}

interface NewJob extends Pick<JobOptions, 'executionId' | 'skillId' | 'actor' | 'lifetime'> {
  /** Aborts when the key that started the job is revoked. Absent: never. */
  revoked?: AbortSignal | undefined;
  /** The memory of its request while the job runs; absent: negligible. */
  bodyBytes?: number;
}

/** Holds no jobs yet. `shutdown` cancels the running ones, and so does the end of the current `lease`, if jobs need one. */
export function openJobs(
  bounds: JobBounds,
  shutdown: AbortSignal,
  now: () => number,
  lease?: () => AbortSignal,
): Jobs {
  const running = new Map<string, Job>();
  const detached = new Map<Actor, number>();
  const finished = finishedJobs(bounds.finished, now);
  const memory = heldMemory(bounds.bodyBytes);
  const unread = unreadMemory(bounds.unreadBytes);
  const controllers = linkedControllers();

  const count = (actor: Actor, by: 1 | -1): void => {
    const jobs = (detached.get(actor) ?? 0) + by;
    if (jobs === 0) detached.delete(actor);
    else detached.set(actor, jobs);
  };

  return {
    hold: memory.hold,
    open({ bodyBytes = 0, revoked, ...call }) {
      const { executionId, actor, lifetime } = call;
      const isDetached = lifetime.kind === 'detached';
      if (isDetached && (detached.get(actor) ?? 0) >= bounds.detachedMax)
        throw new SkillError(
          'OVERLOADED',
          `the key ${actor} has ${bounds.detachedMax} asynchronous calls, the maximum; wait for one to end, or cancel one with DELETE /executions/:id`,
        );
      const release = memory.hold(actor, bodyBytes);
      const { eventBytesMax, graceMs } = bounds;
      const onFinished = (): void => {
        running.delete(executionId);
        release();
        if (isDetached) count(actor, -1);
        if (lifetime.kind !== 'client') finished.add(job);
      };
      const signals = [revoked, lease?.(), shutdown].filter((signal) => signal !== undefined);
      const abortWith = (controller: AbortController) => controllers.link(controller, signals);
      const job = openJob({ ...call, eventBytesMax, unread, graceMs, abortWith, onFinished, now });
      running.set(executionId, job);
      if (isDetached) count(actor, 1);
      return job;
    },
    find: (executionId) => running.get(executionId) ?? finished.find(executionId),
    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended()));
    },
  };
}
