import { AmbitError, notAmbit } from '../failure/ambit-error.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import { pauseAfter, wait } from '../request/retries.ts';
import type { ResponseBody } from '../request/routes.ts';
import type { Transport } from '../request/transport.ts';
import type { CallAnswer } from './call-answer.ts';
import { abandonCall, type CallEnd, callEnd, cancelMs } from './executions.ts';
import { type CallRequest, type CallRoute, isAnswerTo, requestAnswer, startCall } from './request-call.ts';

/**
 * Makes a call under an idempotency key. Starts the call and then waits for its response, because a
 * call with a key continues when the connection breaks. This way the execution id is known if the
 * caller aborts and the call has to be canceled.
 */
export async function callOnce<Name extends CallRoute>(
  transport: Transport,
  call: CallRequest<Name>,
  key: string,
  options: RequestOptions,
): Promise<ResponseBody<Name>> {
  const { retries } = transport;
  const signal = endOf(options);
  signal?.throwIfAborted();
  for (let refused = 0; ; refused += 1) {
    const end = await endUnder(transport, call, key, signal);
    if ('answer' in end) return ownAnswer(transport, call, end.answer);
    // Under the same key, a call that was refused before it ran is tried again; any other is
    // answered as before.
    const pause = refused < retries.max ? pauseAfter(end.problem, refused, retries) : undefined;
    if (pause === undefined) throw end.problem;
    await wait(pause, signal);
  }
}

/** The answer, which is of the kind that the call asked for. */
function ownAnswer<Name extends CallRoute>(
  { url }: Transport,
  call: CallRequest<Name>,
  answer: CallAnswer,
): ResponseBody<Name> {
  if (!isAnswerTo(call, answer)) throw notAmbit(url);
  return answer;
}

async function endUnder<Name extends CallRoute>(
  transport: Transport,
  call: CallRequest<Name>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<CallEnd> {
  const startAbort = new AbortController();
  const begun = startCall(transport, call, key, { signal: startAbort.signal });
  const leave = async (): Promise<void> => {
    // Let the start finish for a moment, to learn which call to cancel.
    AbortSignal.timeout(cancelMs).addEventListener('abort', () => startAbort.abort(signal?.reason));
    await abandonCall(transport, (await begun).executionId);
  };
  const { executionId, answer } = await unlessAborted(signal, begun, leave);
  if (answer !== undefined) return { answer };
  return unlessAborted(signal, waitFor(transport, call, key, executionId, signal), leave);
}

async function waitFor<Name extends CallRoute>(
  transport: Transport,
  call: CallRequest<Name>,
  key: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<CallEnd> {
  try {
    return await callEnd(transport, id, signal);
  } catch (error) {
    if (!(error instanceof AmbitError) || error.code !== 'ANSWER_GONE') throw error;
    // The daemon stores the response longer under the key than under the execution.
    return { answer: await requestAnswer(transport, call, key, { signal }) };
  }
}

/**
 * Resolves to the result of `result`. If the signal aborts first, rejects with its reason and runs
 * `leave` in the background.
 */
async function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  result: Promise<Result>,
  leave: () => Promise<void>,
): Promise<Result> {
  if (signal === undefined) return result;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([result, aborted.promise]);
  } catch (error) {
    // Do not make the caller wait. A call that did not start needs no cancelation.
    if (signal.aborted) leave().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
