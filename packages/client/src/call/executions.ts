import type { Execution } from '../api/names.ts';
import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { Transport } from '../request/transport.ts';
import type { CallAnswer } from './asked-call.ts';

/** How long one question for an end waits for it: as long as the daemon lets it. */
const waitSeconds = 60;

/** How long a call that nobody wants any more is asked to end. */
const cancelMs = 5000;

/** How a call stands; with `waitSeconds`, at most 60, after it has had so long to end. */
export async function executionOf(
  { json }: Transport,
  id: string,
  { waitSeconds: wait, ...options }: RequestOptions & { waitSeconds?: number | undefined } = {},
): Promise<Execution> {
  const query = wait === undefined ? {} : { query: { wait } };
  return (await json(
    'getExecution',
    { path: { id }, ...query },
    { ...options, isRepeatable: true },
  )) as Execution;
}

/** Cancels a call. One that has ended stays as it is. */
export async function cancelCall(
  { json }: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<Execution> {
  return (await json('cancelExecution', { path: { id } }, { ...options, isRepeatable: true })) as Execution;
}

/** The same for a call whose caller has gone: whatever becomes of it is nobody's business any more. */
export async function abandonCall(transport: Transport, id: string): Promise<void> {
  await cancelCall(transport, id, { timeoutMs: cancelMs }).catch(() => undefined);
}

/** The answer of a call, when it has ended. Rejects with the problem of one that was refused, and with `ANSWER_GONE`. */
export async function answerOf(
  transport: Transport,
  id: string,
  options: RequestOptions = {},
): Promise<CallAnswer> {
  for (;;) {
    const execution = await executionOf(transport, id, { ...options, waitSeconds });
    const { status, result, problem, detail } = execution;
    if (result !== undefined) return result;
    if (problem !== undefined) throw new AmbitProblem(problem);
    if (status === 'finished') {
      throw new AmbitError('ANSWER_GONE', `the call ${id} has ended (${execution.outcome}): ${detail}`);
    }
  }
}
