/**
 * Calls `work` again and again, `intervalMs` after the end of each call, until the returned function is called. The first call
 * comes after `firstMs`. `work` must not reject. Does not keep the process alive.
 */
export function repeat(
  work: () => Promise<void>,
  { intervalMs, firstMs = intervalMs }: { intervalMs: number; firstMs?: number },
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const next = (ms: number): void => {
    timer = setTimeout(
      () =>
        void work().then(() => {
          if (!isStopped) next(intervalMs);
        }),
      ms,
    ).unref();
  };
  next(firstMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
