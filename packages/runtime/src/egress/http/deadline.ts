import { ProxyError } from '../call/refusal.ts';

/** The time limit of one exchange. */
export interface Deadline {
  /** Aborts with a `ProxyError` 504 at the deadline, or when the proxy closes. */
  readonly signal: AbortSignal;
  /** Call when the exchange has finished. */
  clear(): void;
}

/** Starts now; `closed` aborts when the proxy closes. */
export function deadline(timeoutMs: number, closed: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new ProxyError(504, `no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  return { signal: AbortSignal.any([late.signal, closed]), clear: () => clearTimeout(timer) };
}
