import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import { wait } from '../request/retries.ts';
import type { Transport } from '../request/transport.ts';
import type { CallAnswer, ExecutionStatus } from './call-answer.ts';

/** The longest wait that the daemon allows in one request. */
const waitSeconds = 60;

/** The timeout for canceling a call that its caller has abandoned. */
export const cancelMs = 5000;

/** The status of a call. With `waitSeconds`, at most 60, waits that long for it to end. */
export async function executionStatus(
  { json }: Transport,
  id: string,
  { waitSeconds: seconds, ...options }: RequestOptions & { waitSeconds?: number | undefined } = {},
): Promise<ExecutionStatus> {
  const query = seconds === undefined ? {} : { query: { wait: seconds } };
  return json(
    'GET /executions/:id',
    'endedAt',
    { params: { id }, ...query },
    { ...options, isRepeatable: true },
  );
}

/** Cancels a call. A finished call is unchanged. */
export async function cancelCall(
  { json }: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<ExecutionStatus> {
  return json('DELETE /executions/:id', 'endedAt', { params: { id } }, { ...options, isRepeatable: true });
}

/** Cancels a call whose caller has gone. Ignores errors. */
export async function abandonCall(transport: Transport, id: string): Promise<void> {
  await cancelCall(transport, id, { timeoutMs: cancelMs }).catch(() => undefined);
}

/** The end of a call: its response, or the reason for its refusal. */
export type CallEnd = { answer: CallAnswer } | { problem: AmbitProblem };

/**
 * The response of a call when it has ended. Rejects with the problem of a refused call, or with
 * `ANSWER_GONE`.
 */
export async function answerOf(
  transport: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<CallAnswer> {
  const end = await callEnd(transport, id, endOf(options));
  if ('problem' in end) throw end.problem;
  return end.answer;
}

/** The same, but distinguishes a refused call from a refused request. */
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
    // A proxy may answer immediately. Do not poll at that rate.
    await wait(transport.retries.firstMs, signal);
  }
}
