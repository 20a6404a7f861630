import { modelLine, type Progress } from '@ambit/core/internal';
import type { ServerContext } from '@modelcontextprotocol/server';

/** Tells a client that asked for it how far a call is. */
export interface ProgressNotifier {
  /** Whether it asked. */
  isHeard: boolean;
  notify(progress: Progress): void;
  /** Tells the last one. */
  end(): void;
}

/** How often a client is told that the call runs, whatever the skill says. */
const beatMs = 5000;

/** A skill's own progress is told at most so often: the latest. */
const restMs = 200;

/**
 * Tells at once that the skill was called, every five seconds for how long it has run, and in between how far the skill says
 * that it is. In MCP the number rises with every notification: where a skill says nothing, or goes back, it rises by next
 * to nothing.
 */
export function progressNotifier(
  now: () => number,
  skillId: string,
  { mcpReq }: ServerContext,
): ProgressNotifier {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return unheard;
  const startedAt = now();
  let told = -1;
  let total: number | undefined;
  let waiting: Progress | undefined;
  let rest: NodeJS.Timeout | undefined;

  const notify = (done: number, message: string | undefined): void => {
    told = done > told ? done : told + Math.max(1e-6, told * 1e-15);
    const params = {
      ...{ progressToken, progress: told },
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    // Nobody listens any more: the call itself learns that from its signal.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const tellWaiting = (): void => {
    rest = undefined;
    if (waiting === undefined) return;
    const { done, message } = waiting;
    total = waiting.total;
    waiting = undefined;
    // A status line of the client's, not a result: as a person sees it, and without markup.
    notify(done, message === undefined ? undefined : modelLine(message));
    rest = setTimeout(tellWaiting, restMs);
  };
  const beat = setInterval(() => {
    const seconds = Math.round((now() - startedAt) / 1000);
    notify(told, `${skillId} has run for ${seconds} s`);
  }, beatMs);
  notify(0, `${skillId} was called`);
  return {
    isHeard: true,
    notify(progress) {
      waiting = progress;
      if (rest === undefined) tellWaiting();
    },
    end() {
      clearInterval(beat);
      clearTimeout(rest);
      tellWaiting();
      clearTimeout(rest);
    },
  };
}

const unheard: ProgressNotifier = { isHeard: false, notify: () => undefined, end: () => undefined };
