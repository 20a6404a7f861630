import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';
import { SkillError } from './skill-error.ts';

/** Several calls of one caller, as a door parsed them. */
export interface BatchRequest<Kept = ExecuteResult> {
  /** The parent of every call's record. */
  executionId: string;
  calls: readonly Omit<ExecuteRequest, 'parentId'>[];
  /** One after another, and none any more after the first that is refused or does not succeed. */
  stopOnFailure: boolean;
  /** What is kept of a call's result, in the order in which they end: many whole ones can be more than is good to hold. */
  keep(result: ExecuteResult, index: number): Kept;
}

/** What came of one call of a batch. */
export type BatchEnd<Kept> =
  | { status: 'ran'; executionId: string; result: Kept }
  | { status: 'refused'; executionId: string; error: SkillError }
  /** It was not called, and has no record. */
  | { status: 'skipped' };

/** Calls of one batch that wait or run at a time: others have their turns in between. */
const atOnceMost = 3;

/**
 * Runs calls that do not depend on each other, a few at a time. Each is a call of its own, with its own grant and its
 * own record under the batch's id. Resolves to what came of each, in the order of the calls.
 */
export async function executeBatch<Kept>(
  deps: ExecuteDeps,
  { executionId: parentId, calls, stopOnFailure, keep }: BatchRequest<Kept>,
  signal: AbortSignal,
): Promise<BatchEnd<Kept>[]> {
  const ends: BatchEnd<Kept>[] = calls.map(() => ({ status: 'skipped' }));
  let next = 0;
  let hasFailed = false;
  const runOne = async (index: number, call: BatchRequest['calls'][number]): Promise<void> => {
    const { executionId } = call;
    try {
      const result = await executeSkill(deps, { ...call, parentId }, signal);
      if (result.outcome.status !== 'succeeded') hasFailed = true;
      ends[index] = { status: 'ran', executionId, result: keep(result, index) };
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      hasFailed = true;
      ends[index] = { status: 'refused', executionId, error };
    }
  };
  const runInTurn = async (): Promise<void> => {
    for (let call = calls[next]; call !== undefined && !(stopOnFailure && hasFailed); call = calls[next]) {
      const index = next;
      next += 1;
      await runOne(index, call);
    }
  };
  await Promise.all(Array.from({ length: stopOnFailure ? 1 : atOnceMost }, runInTurn));
  return ends;
}
