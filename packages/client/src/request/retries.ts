import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { timerMs } from './end-of.ts';

/** Limits on repeating a safe request. */
export interface Retries {
  /** The number of attempts after the first; 0: none. */
  max: number;
  /**
   * The first pause. Each later pause doubles, and each is randomly reduced to between half and all
   * of it.
   */
  firstMs: number;
  /** The longest pause. If the daemon asks for a longer one, the request is not repeated. */
  longestMs: number;
}

/** The defaults. */
export const usualRetries: Retries = { max: 4, firstMs: 100, longestMs: 10_000 };

/**
 * The result of `attempt`, repeated after temporary failures. Only for attempts that are safe to
 * repeat. Rejects with the last failure, or the reason of `signal`.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  retries: Retries,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (error) {
      const pause = failed < retries.max ? pauseAfter(error, failed, retries) : undefined;
      if (pause === undefined) throw error;
      await wait(pause, signal);
    }
  }
}

/**
 * Milliseconds until the next attempt, after `failed` earlier failures; `undefined` if there is
 * none.
 */
export function pauseAfter(
  error: unknown,
  failed: number,
  { firstMs, longestMs }: Retries,
): number | undefined {
  const doubled = Math.min(longestMs, firstMs * 2 ** failed);
  // Randomized, so that clients refused together do not return together.
  const pause = doubled * (1 - Math.random() / 2);
  if (error instanceof AmbitError) return error.code === 'UNREACHABLE' ? pause : undefined;
  if (!(error instanceof AmbitProblem)) return undefined;
  const { status, retryAfterSeconds } = error;
  if (status !== 429 && (status !== 503 || retryAfterSeconds === undefined)) return undefined;
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
  return retryAfterMs > longestMs ? undefined : Math.max(retryAfterMs, pause);
}

/**
 * Resolves after this many milliseconds. Rejects with the reason of `signal` as soon as it aborts.
 */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, timerMs(ms));
    signal?.addEventListener('abort', stop, { once: true });
  });
}
