import { ambitClient } from '@ambit/client';
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fetchAsSession } from './session.ts';

/** Whether views follow the log: `live`, `paused` by the reader, or `offline` until the stream is back. */
export const live = signal<'live' | 'paused' | 'offline'>('live');

const listeners = new Set<() => void>();
const retryMs = 2000;

/** Only for the stream of the log. */
const follower = ambitClient({
  url: location.origin,
  async fetch(...request) {
    const response = await fetchAsSession(...request);
    if (response.ok) opened();
    return response;
  },
});

/**
 * Follows the log until `ended`, and again after each interruption. One stream serves all views. They load again whenever it
 * opens, so it does not resume after the last event.
 */
export async function followLog(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      for await (const _ of follower.audit.follow({ signal: ended })) notify();
    } catch {
      if (ended.aborted) return;
    }
    if (live.peek() === 'live') live.value = 'offline';
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Stops the views for reading, or lets them catch up. */
export function pause(isPaused: boolean): void {
  live.value = isPaused ? 'paused' : 'live';
  notify();
}

/** Loads a view again when the log has grown: at most once in this time, however many events arrive. */
const reloadEveryMs = 1000;

export function useLive(reload: () => void): void {
  const current = useRef(reload);
  current.current = reload;
  // With the first load of the view, so that no event is missed in between.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastAt = 0;
    const changed = (): void => {
      if (timer !== undefined) return;
      const wait = Math.max(150, lastAt + reloadEveryMs - Date.now());
      timer = setTimeout(() => {
        timer = undefined;
        lastAt = Date.now();
        current.current();
      }, wait);
    };
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
      clearTimeout(timer);
    };
  }, []);
}

function opened(): void {
  if (live.peek() === 'offline') live.value = 'live';
  notify();
}

function notify(): void {
  if (live.peek() === 'paused') return;
  for (const listener of listeners) listener();
}
