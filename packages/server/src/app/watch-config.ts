import { stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';

/** The interval at which the file is checked. */
const everyMs = 2000;

/**
 * Calls `changed` when the configuration file is changed, created or removed, if `watchConfig` is on. Returns a function that
 * stops watching. It polls the path, because editors and mounted volumes replace files. It does not keep the process alive.
 *
 * `loadedAt` is the time before the caller read the file, in milliseconds since the epoch; by default the start of the
 * process. At the first check, a file counts as changed if it has changed since then, or is missing.
 */
export function watchConfig(
  { file, watchConfig: isEnabled }: Pick<Config, 'file' | 'watchConfig'>,
  changed: () => void,
  { loadedAt = performance.timeOrigin, intervalMs = everyMs } = {},
): () => void {
  if (!isEnabled || file === undefined) return () => undefined;
  let before: string | undefined;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const next = (): void => {
    timer = setTimeout(() => void check(), intervalMs).unref();
  };
  const check = async (): Promise<void> => {
    const found = await stat(file).catch(() => undefined);
    if (stopped) return;
    const now = found ? [found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : 'missing';
    const hasChanged = before === undefined ? (found?.ctimeMs ?? Infinity) >= loadedAt : now !== before;
    before = now;
    if (hasChanged) changed();
    next();
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
