import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The state of a view: still loading, failed, or a value. A value stays while it is loaded again. */
export interface Loaded<Value> {
  value: Value | undefined;
  error: unknown;
  /** Loads it again. While it is loading, once more afterwards: a slow answer is not discarded for a newer one. */
  reload(): void;
}

/** Loads a value for `key`, and again when `key` changes. Aborts what is no longer needed. */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value | undefined; error?: unknown }>({ key });
  const current = useRef(load);
  const reload = useRef<() => void>(undefined);
  current.current = load;
  // A layout effect, because other effects start a frame later.
  useLayoutEffect(() => {
    const ended = new AbortController();
    let [isLoading, isStale] = [false, false];
    const start = async (): Promise<void> => {
      isStale = isLoading;
      if (isLoading) return;
      isLoading = true;
      try {
        const value = await current.current(ended.signal);
        if (!ended.signal.aborted) setState({ key, value });
      } catch (error) {
        if (!ended.signal.aborted)
          setState((before) => ({ key, error, value: before.key === key ? before.value : undefined }));
      }
      isLoading = false;
      if (isStale && !ended.signal.aborted) void start();
    };
    reload.current = () => void start();
    void start();
    return () => ended.abort();
  }, [key]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    reload: () => reload.current?.(),
  };
}
