import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { client } from './session.ts';

/** Whether views follow the log: `live`, `paused` by the reader, or `offline` until the stream is back. */
export const live = signal<'live' | 'paused' | 'offline'>('offline');

const listeners = new Set<() => void>();
const retryMs = 2000;

/**
 * Follows the log until `ended`, and again after each interruption. One stream serves all views. They load again when it is
 * back, so it does not resume after the last event.
 */
export async function followLog(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      if (live.peek() === 'offline') live.value = 'live';
      for await (const _ of client.audit.follow({ signal: ended })) {
        if (live.peek() === 'offline') live.value = 'live';
        for (const listener of listeners) listener();
      }
    } catch {
      if (ended.aborted) return;
    }
    if (live.peek() === 'live') live.value = 'offline';
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Loads a view again when the log has grown: at most once in this time, however many events arrive. */
const reloadEveryMs = 1000;

export function useLive(reload: () => void): void {
  const current = useRef(reload);
  current.current = reload;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastAt = 0;
    const changed = (): void => {
      if (live.peek() === 'paused' || timer !== undefined) return;
      const wait = Math.max(150, lastAt + reloadEveryMs - Date.now());
      timer = setTimeout(() => {
        timer = undefined;
        lastAt = Date.now();
        current.current();
      }, wait);
    };
    listeners.add(changed);
    const unsubscribe = live.subscribe((state) => {
      if (state === 'live') changed();
    });
    return () => {
      listeners.delete(changed);
      unsubscribe();
      clearTimeout(timer);
    };
  }, []);
}
