import { unwatchFile, watchFile as watch } from 'node:fs';

/** How often the file is checked. */
const everyMs = 2000;

/**
 * Calls `changed` when a file is changed, created or removed. Returns a function that stops watching. It polls the path,
 * because editors and mounted volumes replace files. It does not keep the process alive.
 */
export function watchFile(file: string, changed: () => void): () => void {
  const listener = (): void => changed();
  watch(file, { interval: everyMs, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}
