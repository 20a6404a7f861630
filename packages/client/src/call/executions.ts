import type { ExecutionStatus } from '../api/names.ts';
import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import { wait } from '../request/retries.ts';
import type { Transport } from '../request/transport.ts';
import type { CallAnswer } from './call-request.ts';

/** How long one question for an end waits for it: as long as the daemon lets it. */
const waitSeconds = 60;

/** How long a call that nobody wants any more is asked to end. */
export const cancelMs = 5000;

/** How a call stands; with `waitSeconds`, at most 60, after it has had so long to end. */
export async function executionStatus(
  { json }: Transport,
  id: string,
  { waitSeconds: seconds, ...options }: RequestOptions & { waitSeconds?: number | undefined } = {},
): Promise<ExecutionStatus> {
  const query = seconds === undefined ? {} : { query: { wait: seconds } };
  return (await json(
    'getExecution',
    { path: { id }, ...query },
    { ...options, isRepeatable: true },
  )) as ExecutionStatus;
}

/** Cancels a call. One that has ended stays as it is. */
export async function cancelCall(
  { json }: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<ExecutionStatus> {
  return (await json(
    'cancelExecution',
    { path: { id } },
    { ...options, isRepeatable: true },
  )) as ExecutionStatus;
}

/** The same for a call whose caller has gone: whatever becomes of it is nobody's business any more. */
export async function abandonCall(transport: Transport, id: string): Promise<void> {
  await cancelCall(transport, id, { timeoutMs: cancelMs }).catch(() => undefined);
}

/** What a call came to: its answer, or what it was refused with. */
export type CallEnd = { answer: CallAnswer } | { problem: AmbitProblem };

/** The answer of a call, when it has ended. Rejects with the problem of one that was refused, and with `ANSWER_GONE`. */
export async function answerOf(
  transport: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<CallAnswer> {
  const ending = await callEnd(transport, id, endOf(options));
  if ('problem' in ending) throw ending.problem;
  return ending.answer;
}

/** The same, where a refusal of the call is to be told from one of the question. */
export async function callEnd(
  transport: Transport,
  id: string,
  signal: AbortSignal | undefined,
): Promise<CallEnd> {
  for (;;) {
    const execution = await executionStatus(transport, id, { signal, waitSeconds });
    const { status, result: answer, problem, detail } = execution;
    if (answer !== undefined) return { answer };
    if (problem !== undefined) return { problem: new AmbitProblem(problem) };
    if (status === 'finished') {
      throw new AmbitError('ANSWER_GONE', `the call ${id} has ended (${execution.outcome}): ${detail}`);
    }
    // One who answers at once, as what stands between may, is not asked as fast as that.
    await wait(transport.retries.firstMs, signal);
  }
}
