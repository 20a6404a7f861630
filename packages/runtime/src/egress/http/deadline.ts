import { ProxyError } from '../refusal.ts';

/** The time of one exchange. */
export interface Deadline {
  /** Fires with a `ProxyError` 504 when the time is over, or with the egress proxy's own end. */
  readonly signal: AbortSignal;
  /** The exchange is over in time. */
  clear(): void;
}

/** Counts from now on; `closed` is the egress proxy's own end. */
export function deadline(timeoutMs: number, closed: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new ProxyError(504, `no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  return { signal: AbortSignal.any([late.signal, closed]), clear: () => clearTimeout(timer) };
}
