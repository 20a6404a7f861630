import type { OutcomeStatus } from '../outcome/outcome.ts';
import { SkillError, type SkillErrorCode } from '../outcome/skill-error.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';
import type { RunEvent } from './run-event.ts';

/** Several calls of one caller, as a transport parsed them. */
export interface BatchRequest<Kept = ExecuteResult> {
  /** The parent of every call's record. */
  executionId: string;
  calls: readonly Omit<ExecuteRequest, 'parentId' | 'recorded' | 'onEvent'>[];
  /** One after another, and none any more after the first that is refused or does not succeed. */
  stopOnFailure: boolean;
  /** What is kept of a call's result, in the order in which they end: many whole ones can be more than is good to hold. */
  keep(result: ExecuteResult, index: number): Kept | Promise<Kept>;
  /** Is called when the record of a call has begun and is durable, with its position, from 1. */
  recorded?: ((position: number) => void) | undefined;
  /** Is told what happens in a call as it happens, with its position; absent: nobody looks. */
  onEvent?: ((position: number, event: RunEvent) => void) | undefined;
  /** Is told of each call that was made, when it has ended. */
  ended?: ((call: BatchCall) => void) | undefined;
}

/** One call that was made, and how it ended: as a run, or with the code that it was refused with. */
export interface BatchCall {
  /** From 1. */
  position: number;
  skillId: string;
  executionId: string;
  outcome: OutcomeStatus | 'denied';
  code?: SkillErrorCode;
}

/** What came of one call of a batch. */
export type BatchEnd<Kept> =
  | { status: 'ran'; executionId: string; result: Kept }
  | { status: 'refused'; executionId: string; error: SkillError }
  /** It was not called, and has no record. */
  | { status: 'skipped' };

/** Calls of one batch that wait or run at a time: others have their turns in between. */
const atOnceMax = 3;

/**
 * Runs calls that do not depend on each other, a few at a time. Each is a call of its own, with its own grant and its
 * own record under the batch's id. Resolves to what came of each, in the order of the calls.
 */
export async function executeBatch<Kept>(
  deps: ExecuteDeps,
  { executionId: parentId, calls, stopOnFailure, keep, recorded, onEvent, ended }: BatchRequest<Kept>,
  signal: AbortSignal,
): Promise<BatchEnd<Kept>[]> {
  const ends: BatchEnd<Kept>[] = calls.map(() => ({ status: 'skipped' }));
  let next = 0;
  let hasFailed = false;
  const runOne = async (index: number, call: BatchRequest['calls'][number]): Promise<void> => {
    const { executionId, skillId } = call;
    const position = index + 1;
    const told = {
      recorded: recorded && (() => recorded(position)),
      onEvent: onEvent && ((event: RunEvent) => onEvent(position, event)),
    };
    try {
      const result = await executeSkill(deps, { ...call, ...told, parentId }, signal);
      const { status: outcome } = result.outcome;
      if (outcome !== 'succeeded') hasFailed = true;
      ends[index] = { status: 'ran', executionId, result: await keep(result, index) };
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
  await Promise.all(Array.from({ length: stopOnFailure ? 1 : atOnceMax }, runInTurn));
  return ends;
}
