import { type Actor, SkillError } from '@ambit/core';
import { finishedJobs } from './finished-jobs.ts';
import { type HeldMemory, heldMemory } from './held-memory.ts';
import { type Job, type JobOptions, type JobTask, startJob } from './job.ts';
import type { JobBounds } from './job-bounds.ts';
import { unreadMemory } from './unread-memory.ts';

/** The executions that a transport has begun: those that run, and the latest of those that have ended. */
export interface Jobs extends HeldMemory {
  /** Throws `OVERLOADED` when as many untied ones of this key run as may, or what its request takes is not to be had. */
  begin(call: NewJob, run: JobTask): Job;
  /** `undefined` for one that never was, and for one that is not kept any more. One that was tied to its client never is. */
  find(executionId: string): Job | undefined;
  /** Resolves when none runs. */
  settled(): Promise<void>;
}

interface NewJob extends Pick<JobOptions, 'executionId' | 'skillId' | 'actor' | 'lifetime' | 'revoked'> {
  /** What its request takes in memory for as long as it runs; absent: nothing to speak of. */
  bodyBytes?: number;
}

/** No executions yet. `shutdown` ends whatever runs then. */
export function openJobs(bounds: JobBounds, shutdown: AbortSignal, now: () => number): Jobs {
  const running = new Map<string, Job>();
  const untied = new Map<Actor, number>();
  const kept = finishedJobs(bounds.kept, now);
  const memory = heldMemory(bounds.bodyBytes);
  const unread = unreadMemory(bounds.unreadBytes);

  const count = (actor: Actor, by: 1 | -1): void => {
    const many = (untied.get(actor) ?? 0) + by;
    if (many === 0) untied.delete(actor);
    else untied.set(actor, many);
  };

  return {
    hold: memory.hold,
    begin({ bodyBytes = 0, ...call }, run) {
      const { executionId, actor, lifetime } = call;
      const isUntied = lifetime.to === 'nothing';
      if (isUntied && (untied.get(actor) ?? 0) >= bounds.untiedMax)
        throw new SkillError(
          'OVERLOADED',
          `${bounds.untiedMax} calls of the key ${actor} run that are tied to no connection, which is all that may; wait for some, or cancel them with DELETE /executions/:id`,
        );
      const release = memory.hold(actor, bodyBytes);
      const { eventBytesMax, graceMs } = bounds;
      const execution = startJob({ ...call, eventBytesMax, unread, graceMs, shutdown, now }, run);
      running.set(executionId, execution);
      if (isUntied) count(actor, 1);
      void execution.ended.then(() => {
        running.delete(executionId);
        release();
        if (isUntied) count(actor, -1);
        if (lifetime.to !== 'client') kept.add(execution);
      });
      return execution;
    },
    find: (executionId) => running.get(executionId) ?? kept.find(executionId),
    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
