import { AmbitError } from '../failure/ambit-error.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import { pauseAfter, wait } from '../request/retries.ts';
import type { Transport } from '../request/transport.ts';
import type { CallAnswer, CallRequest } from './call-request.ts';
import { abandonCall, type CallEnd, callEnd, cancelMs } from './executions.ts';
import { requestAnswer, startCall } from './request-call.ts';

/**
 * The answer of a call under an idempotency key. It is begun and then asked for, because one with a key goes on when its
 * connection goes: so it is known which call has to be canceled when the caller does not want it any more.
 */
export async function callOnce(
  transport: Transport,
  call: CallRequest,
  key: string,
  options: RequestOptions,
): Promise<CallAnswer> {
  const { retries } = transport;
  const signal = endOf(options);
  signal?.throwIfAborted();
  for (let refused = 0; ; refused += 1) {
    const ending = await endingUnder(transport, call, key, signal);
    if ('answer' in ending) return ending.answer;
    // Under its key what was refused before anything ran is judged afresh, and the rest is answered as before.
    const pause = refused < retries.most ? pauseAfter(ending.problem, refused, retries) : undefined;
    if (pause === undefined) throw ending.problem;
    await wait(pause, signal);
  }
}

async function endingUnder(
  transport: Transport,
  call: CallRequest,
  key: string,
  signal: AbortSignal | undefined,
): Promise<CallEnd> {
  const late = new AbortController();
  const begun = startCall(transport, call, key, { signal: late.signal });
  const leave = async (): Promise<void> => {
    // For a moment the beginning goes on, so that it is known which call to cancel.
    AbortSignal.timeout(cancelMs).addEventListener('abort', () => late.abort(signal?.reason));
    await abandonCall(transport, (await begun).executionId);
  };
  const { executionId, answer } = await unless(signal, begun, leave);
  if (answer !== undefined) return { answer };
  return unless(signal, asked(transport, call, key, executionId, signal), leave);
}

async function asked(
  transport: Transport,
  call: CallRequest,
  key: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<CallEnd> {
  try {
    return await callEnd(transport, id, signal);
  } catch (error) {
    if (!(error instanceof AmbitError) || error.code !== 'ANSWER_GONE') throw error;
    // The daemon has it under the key for longer than under the execution.
    return { answer: await requestAnswer(transport, call, key, { signal }) };
  }
}

/** What `coming` comes to, unless the signal is aborted first: then its reason, while `leave` goes on by itself. */
async function unless<Result>(
  signal: AbortSignal | undefined,
  coming: Promise<Result>,
  leave: () => Promise<void>,
): Promise<Result> {
  if (signal === undefined) return coming;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([coming, aborted.promise]);
  } catch (error) {
    // Whoever aborts waits for nothing; what could not be begun need not be left.
    if (signal.aborted) leave().catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
