import { AmbitError } from '../failure/ambit-error.ts';
import { timerMs } from './timer-ms.ts';

/** What ends a request before it has its answer. */
export interface RequestOptions {
  /** Ends it; its reason is what the request rejects with. */
  signal?: AbortSignal | undefined;
  /** For all of it, every attempt and the answer to its last byte. */
  timeoutMs?: number | undefined;
}

/** One signal for both: the first reason wins. `undefined` where nothing ends it. */
export function endOf({ signal, timeoutMs }: RequestOptions): AbortSignal | undefined {
  return anyOf(signal, timeoutMs === undefined ? undefined : timeout(timeoutMs));
}

/** One signal for all that there are. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const there = signals.filter((signal) => signal !== undefined);
  return there.length > 1 ? AbortSignal.any(there) : there[0];
}

/** `AbortSignal.timeout`, which keeps no process up, with a reason that says what to do. */
function timeout(ms: number): AbortSignal {
  const late = new AbortController();
  const message = `no response within ${ms} ms: raise timeoutMs, or check what keeps the daemon busy`;
  AbortSignal.timeout(timerMs(ms)).addEventListener('abort', () =>
    late.abort(new AmbitError('TIMED_OUT', message)),
  );
  return late.signal;
}
