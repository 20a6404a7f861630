import { AmbitError } from '../failure/ambit-error.ts';

/** The conditions that end a request early. */
export interface RequestOptions {
  /** Aborts the request, which rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** For the whole request: every attempt and the complete response. */
  timeoutMs?: number | undefined;
}

/** One signal for both; the first reason wins. `undefined` if neither is set. */
export function endOf({ signal, timeoutMs }: RequestOptions): AbortSignal | undefined {
  return anyOf(signal, timeoutMs === undefined ? undefined : timeout(timeoutMs));
}

/** Combines signals. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const there = signals.filter((signal) => signal !== undefined);
  return there.length > 1 ? AbortSignal.any(there) : there[0];
}

/**
 * `AbortSignal.timeout`, which does not keep the process alive, with a message that says what to
 * do.
 */
function timeout(ms: number): AbortSignal {
  const late = new AbortController();
  const message = `no response within ${ms} ms: raise timeoutMs, or check what keeps the daemon busy`;
  AbortSignal.timeout(timerMs(ms)).addEventListener('abort', () =>
    late.abort(new AmbitError('TIMED_OUT', message)),
  );
  return late.signal;
}

/** Limits a timeout: timers fire immediately if set to more than this or to infinity. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}
