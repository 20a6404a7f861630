import { type Actor, SkillError } from '@ambit/core';
import { type Execution, type ExecutionOptions, type Run, startExecution } from './execution.ts';
import type { ExecutionBounds } from './execution-bounds.ts';
import { type HeldMemory, heldMemory } from './held-memory.ts';
import { keptExecutions } from './kept-executions.ts';
import { unreadMemory } from './unread-memory.ts';

/** The executions that a door has begun: those that run, and the latest of those that have ended. */
export interface Executions extends HeldMemory {
  /** Throws `OVERLOADED` when as many untied ones of this key run as may, or what its request takes is not to be had. */
  begin(call: BegunCall, run: Run): Execution;
  /** `undefined` for one that never was, and for one that is not kept any more. One that was tied to its client never is. */
  find(executionId: string): Execution | undefined;
  /** Resolves when none runs. */
  settled(): Promise<void>;
}

interface BegunCall extends Pick<ExecutionOptions, 'executionId' | 'skillId' | 'actor' | 'tie' | 'revoked'> {
  /** What its request takes in memory for as long as it runs; absent: nothing to speak of. */
  bodyBytes?: number;
}

/** No executions yet. `shutdown` ends whatever runs then. */
export function openExecutions(
  bounds: ExecutionBounds,
  shutdown: AbortSignal,
  now: () => number,
): Executions {
  const running = new Map<string, Execution>();
  const untied = new Map<Actor, number>();
  const kept = keptExecutions(bounds.kept, now);
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
      const { executionId, actor, tie } = call;
      const isUntied = tie.to === 'nothing';
      if (isUntied && (untied.get(actor) ?? 0) >= bounds.untiedMost)
        throw new SkillError(
          'OVERLOADED',
          `${bounds.untiedMost} calls of the key ${actor} run that are tied to no connection, which is all that may; wait for some, or cancel them with DELETE /executions/:id`,
        );
      const release = memory.hold(actor, bodyBytes);
      const { eventBytesMost, graceMs } = bounds;
      const execution = startExecution({ ...call, eventBytesMost, unread, graceMs, shutdown, now }, run);
      running.set(executionId, execution);
      if (isUntied) count(actor, 1);
      void execution.ended.then(() => {
        running.delete(executionId);
        release();
        if (isUntied) count(actor, -1);
        if (tie.to !== 'client') kept.add(execution);
      });
      return execution;
    },
    find: (executionId) => running.get(executionId) ?? kept.find(executionId),
    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
