import { useEffect, useRef, useState } from 'preact/hooks';

/** What a view shows: still loading, failed, or a value. A value stays while it is loaded again. */
export interface Loaded<Value> {
  value: Value | undefined;
  error: unknown;
  /** Loads it again. */
  reload(): void;
}

/** Loads a value for `key`, and again when `key` changes. Aborts what is no longer needed. */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: unknown }>({ key });
  const [round, setRound] = useState(0);
  const current = useRef(load);
  current.current = load;
  useEffect(() => {
    const ended = new AbortController();
    current.current(ended.signal).then(
      (value) => {
        if (!ended.signal.aborted) setState({ key, value });
      },
      (error: unknown) => {
        if (!ended.signal.aborted)
          setState((before) => ({ key, error, ...(before.key === key ? { value: before.value } : {}) }));
      },
    );
    return () => ended.abort();
  }, [key, round]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    reload: () => setRound((before) => before + 1),
  };
}
