import { unwatchFile, watchFile } from 'node:fs';
import type { Config } from '../../config/config.ts';

/** How long it may take until an edit is seen. */
const everyMs = 2000;

/**
 * Calls `changed` when the configuration's file is another than it was, if the configuration asks for that; until the
 * function that it returns is called. The file is looked at by its name: editors and mounted volumes put another in its place.
 */
export function watchConfig({ file, watchConfig: wanted }: Config, changed: () => void): () => void {
  if (!wanted || file === undefined) return () => undefined;
  const listener = (): void => changed();
  watchFile(file, { interval: everyMs, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}
