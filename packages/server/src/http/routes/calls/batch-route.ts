import type { CallRecord } from '@ambit/core/audit';
import type { ExecuteResult } from '@ambit/core/execute';
import {
  type BatchEnd,
  executeBatch,
  type FileChange,
  type JsonText,
  type OutcomeStatus,
} from '@ambit/core/internal';
import type { FastifyInstance } from 'fastify';
import { type ExecuteAnswer, writableAnswer } from '../../../wire/answer/execute-answer.ts';
import { problem } from '../../problem/problem.ts';
import { refusalOf } from '../../problem/refusal.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, describeEnd, rightsOf } from '../../route/request-state.ts';
import { answerCall } from './answer/answer-call.ts';
import { BatchAnswer, type BatchResult, type OmittedAnswer } from './batch-answer.ts';
import { BatchBody, callOf } from './call-bodies.ts';
import { beginProblems, CallHeaders, callAnswers } from './call-contract.ts';
import { batchObservers } from './call-observers.ts';

/** Of the files of all answers together. */
const contentBytesMax = 16 * 1024 * 1024;
/** Of the JSON of all answers together: each can be many times what its run wrote. */
const answerBytesMax = 64 * 1024 * 1024;

/** What is kept of a call that ran: its answer, written, or what is left of one. */
interface KeptAnswer {
  status: OutcomeStatus;
  shown: { answer: JsonText } | { omitted: OmittedAnswer };
}

/** A `BatchResult` whose answer is written. */
type WrittenResult = { status: 200; answer: JsonText };

/**
 * `POST /batch`: calls that do not depend on each other, a few at a time. The answer is 200 whatever came of them, and
 * has for each what `POST /skills/:id/execute` would have answered.
 */
export function batchRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  defineRoute(app, {
    method: 'POST',
    url: '/batch',
    scope: 'skills:execute',
    id: 'executeBatch',
    group: 'Calls',
    summary: 'Run calls that do not depend on each other',
    description:
      'A few at a time, so that others have their turns. The answer is 200 whatever came of them, and has for each what it would have been answered by itself. Each has its own record: `GET /audit?parentId=…`.',
    headers: CallHeaders,
    body: BatchBody,
    bodyExample: { calls: [{ skill: 'text-redact', input: { text: 'mail me at ada@example.org' } }] },
    answers: callAnswers('What came of each call.', BatchAnswer),
    problems: beginProblems,
    async handle({ body: { calls: bodies, stopOnFailure } }, request, reply) {
      const { actor } = rightsOf(request);
      const asked = bodies.map(({ skill, ...body }) => ({ skillId: skill, ...callOf(body) }));
      const calls = asked.map(({ skillId, call }) => ({
        ...{ ...call, executionId: deps.newExecutionId(), skillId, via: 'http' as const, actor },
      }));
      const [bounded, fitting] = [boundedContents(), fittingAnswers(deps)];
      const keep = async (result: ExecuteResult, index: number): Promise<KeptAnswer> => {
        const hasContents = asked[index]?.hasContents === true;
        return fitting(
          await writableAnswer(deps.json, hasContents ? bounded(result) : result, { hasContents }),
        );
      };
      const batch = { executionId: request.id, calls, stopOnFailure, keep };
      const { execute } = accessFor(request);
      return answerCall(deps, request, reply, {
        skillId: null,
        async run(signal, emit) {
          const ends = await executeBatch(execute, { ...batch, ...batchObservers(emit) }, signal);
          const results = ends.map((end) => batchResult(end, deps));
          return { answer: { executionId: request.id, results }, outcome: outcomeOf(ends) };
        },
      });
    },
  });
}

function batchResult(end: BatchEnd<KeptAnswer>, deps: AppDeps): BatchResult | WrittenResult {
  switch (end.status) {
    case 'ran':
      return { status: 200, ...end.result.shown };
    case 'refused': {
      const { executionId } = end;
      const refusal = refusalOf(deps, end.error);
      const { code, cause } = refusal;
      const refused = problem(refusal, executionId);
      // The log of the daemon is where a fault of ours says that its cause is.
      if (refused.status >= 500)
        deps.logger.error({ executionId, ...describeEnd({ code, cause }) }, 'execution');
      return { status: refused.status, problem: refused };
    }
    case 'skipped':
      return { status: null, skipped: true };
    default:
      return end satisfies never;
  }
}

/** That of the first call that did not succeed, where there is one. */
function outcomeOf(ends: readonly BatchEnd<KeptAnswer>[]): CallRecord['outcome'] {
  for (const end of ends) {
    if (end.status === 'refused') return 'denied';
    if (end.status !== 'ran') continue;
    if (end.result.status !== 'succeeded') return end.result.status;
  }
  return 'succeeded';
}

/** Leaves files out when those before them have used up what an answer holds. */
function boundedContents(): (result: ExecuteResult) => ExecuteResult {
  let left = contentBytesMax;
  const bounded = (file: FileChange): FileChange => {
    if (file.content === null || file.content.length <= left) {
      left -= file.content?.length ?? 0;
      return file;
    }
    return { ...file, content: null, omitted: `over the limit of ${contentBytesMax} bytes for all files` };
  };
  return (result) => (result.files === undefined ? result : { ...result, files: result.files.map(bounded) });
}

/** Leaves out answers for which those that ended before them have left no room. */
function fittingAnswers({ json }: AppDeps): (answer: ExecuteAnswer) => Promise<KeptAnswer> {
  let left = answerBytesMax;
  return async (answer) => {
    const { executionId, outcome, audit } = answer;
    const written = await json.write(answer);
    const { length } = written.bytes;
    if (length > left)
      return { status: outcome.status, shown: { omitted: { executionId, outcome: outcome.status, audit } } };
    left -= length;
    return { status: outcome.status, shown: { answer: written } };
  };
}
