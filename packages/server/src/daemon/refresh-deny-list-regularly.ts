import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { DenyListCheck } from '../wire/answer/installs.ts';

/** The longest time until a changed configuration is noticed. */
const tickSeconds = 60;

interface Refreshing {
  config: () => Config;
  refresh: (signal: AbortSignal) => Promise<DenyListCheck | null>;
  logger: Logger;
}

/** Refreshes the deny list immediately, then by `refreshSeconds`. Returns a function that stops it. */
export function refreshDenyListRegularly(parts: Refreshing): () => Promise<void> {
  const ended = new AbortController();
  const running = refreshUntil(parts, ended.signal);
  return async () => {
    ended.abort(new Error('the daemon is shutting down'));
    await running;
  };
}

async function refreshUntil({ config, refresh, logger }: Refreshing, ended: AbortSignal): Promise<void> {
  let last = Number.NEGATIVE_INFINITY;
  let url: string | undefined;
  while (!ended.aborted) {
    const { denyList } = config().installs;
    const everySeconds = denyList?.refreshSeconds ?? tickSeconds;
    const isDue =
      denyList !== null && (denyList.url !== url || performance.now() - last >= everySeconds * 1000);
    if (isDue) {
      [last, url] = [performance.now(), denyList.url];
      await refresh(ended).then(
        (check) => logCheck(logger, check),
        (err: unknown) => {
          if (!ended.aborted) logger.error({ err }, 'cannot refresh the deny list');
        },
      );
    }
    const pause = Math.min(everySeconds, tickSeconds) * 1000;
    await wait(pause, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}

function logCheck(logger: Logger, check: DenyListCheck | null): void {
  if (check === null) return;
  const { url, serial, added, skills, problem } = check;
  if (problem !== null)
    logger.warn({ url, problem }, 'cannot refresh the deny list; what it listed before stays refused');
  else if (added > 0) logger.warn({ url, serial, added, skills }, 'the deny list refuses more');
}
