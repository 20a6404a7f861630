import { type BatchEnd, type ExecuteResult, executeBatch, type FileChange } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { type ExecuteAnswer, executeAnswer } from '../../wire/execute-answer.ts';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { type Problem, problem } from '../problem/problem.ts';
import { asRefusal } from '../problem/refusal.ts';
import { rightsOf } from '../request-state.ts';
import { callOf } from './call-of.ts';
import { callSignal } from './call-signal.ts';
import { BatchBody } from './execute-body.ts';
import type { ReachFor } from './reach-for.ts';

/** One call of a batch, as it would have been answered by itself; or that it was not called. */
type BatchResult =
  | { status: 200; answer: ExecuteAnswer }
  | { status: number; problem: Problem }
  | { status: null; skipped: true };

/** The answer of `POST /batch`: results in the order of the calls. */
interface BatchAnswer {
  /** The parent of every call's record. */
  executionId: string;
  results: BatchResult[];
}

/** Of the files of all answers together. */
const contentBytesMost = 16 * 1024 * 1024;

/**
 * `POST /batch`: calls that do not depend on each other, a few at a time. The answer is 200 whatever came of them, and
 * has for each what `POST /skills/:id/execute` would have answered.
 */
export function batchRoute(app: FastifyInstance, deps: AppDeps, reachFor: ReachFor): void {
  app.post('/batch', async (request, reply): Promise<BatchAnswer> => {
    const { calls: bodies, stopOnFailure } = parseRequest(BatchBody, request.body ?? {});
    const { actor } = rightsOf(request);
    const asked = bodies.map(({ skill, ...body }) => ({ skillId: skill, ...callOf(body) }));
    const calls = asked.map(({ skillId, call }) => ({
      ...{ ...call, executionId: deps.newExecutionId(), skillId, door: 'http' as const, actor },
    }));
    const bounded = boundedContents();
    const keep = (result: ExecuteResult, index: number): ExecuteAnswer => {
      const hasContents = asked[index]?.hasContents === true;
      return executeAnswer(hasContents ? bounded(result) : result, { hasContents });
    };
    const { execute } = reachFor(request);
    // From here on each call's own record holds whatever happens.
    request.recorded = true;
    const batch = { executionId: request.id, calls, stopOnFailure, keep };
    const ends = await executeBatch(execute, batch, callSignal(reply, deps.shutdown));
    return { executionId: request.id, results: ends.map((end) => batchResult(end, deps)) };
  });
}

function batchResult(end: BatchEnd<ExecuteAnswer>, deps: AppDeps): BatchResult {
  switch (end.status) {
    case 'ran':
      return { status: 200, answer: end.result };
    case 'refused': {
      const refused = problem(asRefusal(end.error, deps), end.executionId);
      return { status: refused.status, problem: refused };
    }
    case 'skipped':
      return { status: null, skipped: true };
    default:
      return end satisfies never;
  }
}

/** Leaves files out when those before them have used up what an answer holds. */
function boundedContents(): (result: ExecuteResult) => ExecuteResult {
  let left = contentBytesMost;
  const bounded = (file: FileChange): FileChange => {
    if (file.content === null || file.content.length <= left) {
      left -= file.content?.length ?? 0;
      return file;
    }
    return { ...file, content: null, omitted: `larger than what is left of ${contentBytesMost} bytes` };
  };
  return (result) => (result.files === undefined ? result : { ...result, files: result.files.map(bounded) });
}
