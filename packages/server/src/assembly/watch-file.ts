import { unwatchFile, watchFile as watch } from 'node:fs';

/** How long it may take until an edit is seen. */
const everyMs = 2000;

/**
 * Calls `changed` when a file is another than it was, or comes or goes, until the function that it returns is called. It is
 * looked at by its name: editors and mounted volumes put another in its place. It does not keep the process alive.
 */
export function watchFile(file: string, changed: () => void): () => void {
  const listener = (): void => changed();
  watch(file, { interval: everyMs, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}
