import { AmbitError } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { timerMs } from './timer-ms.ts';

/** How often, and when, a request that is safe to send again is sent again. */
export interface Retries {
  /** After the first; 0: never. */
  most: number;
  /** The first pause; each one after it is twice as long, and each is cut by chance to between half and all of it. */
  firstMs: number;
  /** No pause is longer. A daemon that asks for a longer one is not asked again. */
  longestMs: number;
}

/** What holds where nobody says otherwise. */
export const usualRetries: Retries = { most: 4, firstMs: 100, longestMs: 10_000 };

/**
 * What `attempt` comes to, tried again after a failure that may pass. The caller answers for it that a second attempt does
 * no harm. Rejects with the last failure, or with the reason of `signal`.
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
      const pause = failed < retries.most ? pauseAfter(error, failed, retries) : undefined;
      if (pause === undefined) throw error;
      await wait(pause, signal);
    }
  }
}

/** Milliseconds until it is worth another attempt, when `failed` have failed before; `undefined`: it is not. */
export function pauseAfter(
  error: unknown,
  failed: number,
  { firstMs, longestMs }: Retries,
): number | undefined {
  const doubled = Math.min(longestMs, firstMs * 2 ** failed);
  // By chance, so that many who were refused together do not come again together.
  const pause = doubled * (1 - Math.random() / 2);
  if (error instanceof AmbitError) return error.code === 'UNREACHABLE' ? pause : undefined;
  if (!(error instanceof AmbitProblem)) return undefined;
  const { status, retryAfterSeconds } = error;
  if (status !== 429 && (status !== 503 || retryAfterSeconds === undefined)) return undefined;
  const asked = (retryAfterSeconds ?? 0) * 1000;
  return asked > longestMs ? undefined : Math.max(asked, pause);
}

/** Resolves after so many milliseconds. Rejects with the reason of `signal` as soon as that is aborted. */
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
