import { AmbitError } from '../failure/ambit-error.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import { withRetries } from '../request/retries.ts';
import type { Transport } from '../request/transport.ts';
import { askLater, askWhole } from './ask-call.ts';
import type { AskedCall, CallAnswer } from './asked-call.ts';
import { abandonCall, answerOf } from './executions.ts';

/**
 * The answer of a call under an idempotency key. It is begun and then asked for, because one with a key goes on when its
 * connection goes: so it is known which call has to be canceled when the caller does not want it any more.
 */
export function callOnce(
  transport: Transport,
  call: AskedCall,
  key: string,
  options: RequestOptions,
): Promise<CallAnswer> {
  const signal = endOf(options);
  const attempt = async (): Promise<CallAnswer> => {
    const begun = askLater(transport, call, key, {});
    const leave = async (): Promise<void> => abandonCall(transport, (await begun).executionId);
    const { executionId, answer } = await unless(signal, begun, leave);
    return answer ?? unless(signal, asked(executionId), leave);
  };
  const asked = async (executionId: string): Promise<CallAnswer> => {
    try {
      return await answerOf(transport, executionId, { signal });
    } catch (error) {
      if (!(error instanceof AmbitError) || error.code !== 'ANSWER_GONE') throw error;
      // The daemon has it under the key for longer than under the execution.
      return askWhole(transport, call, key, { signal });
    }
  };
  return withRetries(attempt, transport.retries, signal);
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
