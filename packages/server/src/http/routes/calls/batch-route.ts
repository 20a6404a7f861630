import { type BatchResult, callContracts, type ExecuteAnswer, type OmittedAnswer } from '@ambit/api';
import type { CallRecord } from '@ambit/core/audit';
import { type BatchEnd, type ExecuteResult, executeBatch } from '@ambit/core/execute';
import type { JsonText } from '@ambit/core/json';
import type { OutcomeStatus } from '@ambit/core/outcome';
import type { FileChange } from '@ambit/core/workspace';
import type { FastifyInstance } from 'fastify';
import { writableAnswer } from '../../../wire/answer/execute.ts';
import { problem } from '../../problem/problem.ts';
import { refusalOf } from '../../problem/refusal.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, describeEnd, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { answerCall } from './answer/answer-call.ts';
import { batchObservers } from './call-observers.ts';
import { callOf } from './call-of.ts';

/** The limit for the files of all results together. */
const contentBytesMax = 16 * 1024 * 1024;
/** The limit for the JSON of all results together. One can be many times the size of its run's output. */
const answerBytesMax = 64 * 1024 * 1024;

/** The result of a call that ran: its answer as JSON, or a summary. */
interface HeldAnswer {
  status: OutcomeStatus;
  shown: { answer: JsonText } | { omitted: OmittedAnswer };
}

/** A `BatchResult` whose answer is JSON text. */
type WrittenResult = { status: 200; answer: JsonText };

/**
 * `POST /batch`: independent calls, a few at a time. The response is always 200. For each call it has the
 * response that `POST /skills/:id/execute` would give.
 */
export function batchRoute(app: FastifyInstance, deps: AppDeps, accessFor: AccessFor): void {
  route(
    app,
    callContracts.executeBatch,
    async ({ body: { calls: bodies, stopOnFailure } }, request, reply) => {
      const { actor } = rightsOf(request);
      const requests = bodies.map(({ skill, ...body }) => ({ skillId: skill, ...callOf(body) }));
      const calls = requests.map(({ skillId, call }) => ({
        ...call,
        executionId: deps.newExecutionId(),
        skillId,
        via: request.via,
        actor,
      }));
      const [bounded, fitting] = [boundedContents(), fittingAnswers(deps)];
      const reduce = async (result: ExecuteResult, index: number): Promise<HeldAnswer> => {
        const hasContents = requests[index]?.hasContents === true;
        return fitting(
          await writableAnswer(deps.json, hasContents ? bounded(result) : result, { hasContents }),
        );
      };
      const batch = { executionId: request.id, calls, stopOnFailure, reduce };
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
  );
}

function batchResult(end: BatchEnd<HeldAnswer>, deps: AppDeps): BatchResult | WrittenResult {
  switch (end.status) {
    case 'ran':
      return { status: 200, ...end.result.shown };
    case 'refused': {
      const { executionId } = end;
      const refusal = refusalOf(deps, end.error);
      const { code, cause } = refusal;
      const refused = problem(refusal, executionId);
      // The problem of a bug refers to the daemon's log for its cause.
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

/** The outcome of the first call that did not succeed, or `succeeded`. */
function outcomeOf(ends: readonly BatchEnd<HeldAnswer>[]): CallRecord['outcome'] {
  for (const end of ends) {
    if (end.status === 'refused') return 'denied';
    if (end.status !== 'ran') continue;
    if (end.result.status !== 'succeeded') return end.result.status;
  }
  return 'succeeded';
}

/** Omits files once earlier files have used up the limit. */
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

/** Omits answers once earlier answers have used up the limit. */
function fittingAnswers({ json }: AppDeps): (answer: ExecuteAnswer) => Promise<HeldAnswer> {
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
