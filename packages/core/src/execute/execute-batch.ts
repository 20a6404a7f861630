import type { OutcomeStatus } from '../outcome/outcome.ts';
import { SkillError, type SkillErrorCode } from '../outcome/skill-error.ts';
import type { ExecuteDeps, ExecuteRequest } from './call/execute-request.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';
import type { RunEvent } from './executor/run-event.ts';

/** A batch of calls, parsed by a transport. */
export interface BatchRequest<Reduced = ExecuteResult> {
  /** The parent of every call's record. */
  executionId: string;
  calls: readonly Omit<ExecuteRequest, 'parentId' | 'recorded' | 'onEvent'>[];
  /** Runs calls one after another, and skips the rest after the first that does not succeed. */
  stopOnFailure: boolean;
  /** Reduces each result to what is held in memory, in the order in which calls end. */
  reduce(result: ExecuteResult, index: number): Reduced | Promise<Reduced>;
  /** Called with a call's position, from 1, when the start of its record is durable. */
  recorded?: ((position: number) => void) | undefined;
  /** Observes the events of each call, with its position. */
  onEvent?: ((position: number, event: RunEvent) => void) | undefined;
  /** Called when a call ends; not called for skipped calls. */
  ended?: ((call: BatchCall) => void) | undefined;
}

/** A call that ended: its outcome, or the code of its refusal. */
export interface BatchCall {
  /** From 1. */
  position: number;
  skillId: string;
  executionId: string;
  outcome: OutcomeStatus | 'denied';
  code?: SkillErrorCode;
}

/** The result of one call of a batch. */
export type BatchEnd<Reduced> =
  | { status: 'ran'; executionId: string; result: Reduced }
  | { status: 'refused'; executionId: string; error: SkillError }
  /** It was not made and has no record. */
  | { status: 'skipped' };

/** The calls of a batch that wait or run at a time, so other calls run in between. */
const parallelMax = 3;

/**
 * Runs independent calls, a few at a time. Each has its own grant, and its own record under the batch's
 * id. Resolves to their results in the order of the calls.
 */
export async function executeBatch<Reduced>(
  deps: ExecuteDeps,
  { executionId: parentId, calls, stopOnFailure, reduce, recorded, onEvent, ended }: BatchRequest<Reduced>,
  signal: AbortSignal,
): Promise<BatchEnd<Reduced>[]> {
  const ends: BatchEnd<Reduced>[] = calls.map(() => ({ status: 'skipped' }));
  let next = 0;
  let hasFailed = false;
  const runOne = async (index: number, call: BatchRequest['calls'][number]): Promise<void> => {
    const { executionId, skillId } = call;
    const position = index + 1;
    const observers = {
      recorded: recorded && (() => recorded(position)),
      onEvent: onEvent && ((event: RunEvent) => onEvent(position, event)),
    };
    try {
      const result = await executeSkill(deps, { ...call, ...observers, parentId }, signal);
      const { status: outcome } = result.outcome;
      if (outcome !== 'succeeded') hasFailed = true;
      ends[index] = { status: 'ran', executionId, result: await reduce(result, index) };
      ended?.({ position, skillId, executionId, outcome });
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      hasFailed = true;
      ends[index] = { status: 'refused', executionId, error };
      ended?.({ position, skillId, executionId, outcome: 'denied', code: error.code });
    }
  };
  const runInTurn = async (): Promise<void> => {
    for (let call = calls[next]; call !== undefined && !(stopOnFailure && hasFailed); call = calls[next]) {
      const index = next;
      next += 1;
      await runOne(index, call);
    }
  };
  await Promise.all(Array.from({ length: stopOnFailure ? 1 : parallelMax }, runInTurn));
  return ends;
}
