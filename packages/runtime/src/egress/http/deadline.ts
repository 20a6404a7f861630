import { GateError } from '../refusal.ts';

/** The time of one exchange. */
export interface Deadline {
  /** Fires with a `GateError` 504 when the time is over, or with the gate's own end. */
  readonly signal: AbortSignal;
  /** The exchange is over in time. */
  clear(): void;
}

/** Counts from now on; `closed` is the gate's own end. */
export function deadline(timeoutMs: number, closed: AbortSignal): Deadline {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new GateError(504, `no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  return { signal: AbortSignal.any([late.signal, closed]), clear: () => clearTimeout(timer) };
}
