import { modelLine } from '@ambit/core';
import type { Progress } from '@ambit/core/execute';
import type { ServerContext } from '@modelcontextprotocol/server';

/** Sends progress notifications to a client that asked for them. */
export interface ProgressNotifier {
  /** Whether the client asked. */
  isHeard: boolean;
  notify(progress: Progress): void;
  /** Sends the last pending one. */
  end(): void;
}

/** The interval of notifications, regardless of the skill's progress. */
const beatMs = 5000;

/** The minimum interval of the skill's own progress; only the latest is sent. */
const restMs = 200;

/**
 * Notifies when the skill is called, then every five seconds with its run time, and in between with
 * the skill's own progress. MCP requires the number to rise with each notification: without
 * progress it rises by a millionth.
 */
export function progressNotifier(
  now: () => number,
  skillId: string,
  { mcpReq }: ServerContext,
): ProgressNotifier {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return unheard;
  const startedAt = now();
  let sent = -1;
  let total: number | undefined;
  let pending: Progress | undefined;
  let rest: NodeJS.Timeout | undefined;

  const notify = (done: number, message: string | undefined): void => {
    sent = done > sent ? done : sent + Math.max(1e-6, sent * 1e-15);
    const params = { progressToken, progress: sent, total, message };
    // If the client has disconnected, the call's own signal aborts.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const sendPending = (): void => {
    rest = undefined;
    if (pending === undefined) return;
    const { done, message } = pending;
    total = pending.total;
    pending = undefined;
    // The client shows this as a status line, so it has no markup.
    notify(done, message === undefined ? undefined : modelLine(message));
    rest = setTimeout(sendPending, restMs);
  };
  const beat = setInterval(() => {
    const seconds = Math.round((now() - startedAt) / 1000);
    notify(sent, `${skillId} has been running for ${seconds} s`);
  }, beatMs);
  notify(0, `${skillId} was called`);
  return {
    isHeard: true,
    notify(progress) {
      pending = progress;
      if (rest === undefined) sendPending();
    },
    end() {
      clearInterval(beat);
      clearTimeout(rest);
      sendPending();
      clearTimeout(rest);
    },
  };
}

const unheard: ProgressNotifier = { isHeard: false, notify: () => undefined, end: () => undefined };
