/**
 * Resolves as `work` does. After `seconds`, aborts the signal of `work` and rejects with what it waited for, so a test
 * cannot hang.
 */
export async function limited<Result>(
  what: string,
  seconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`waited ${seconds} s for ${what}`);
    over.reject(error);
    late.abort(error);
  }, seconds * 1000);
  try {
    return await Promise.race([work(late.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
