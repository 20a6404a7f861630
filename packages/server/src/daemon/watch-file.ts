import { unwatchFile, watchFile as watch } from 'node:fs';
import type { Config } from '../config/config.ts';

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

/** Calls `changed` when the configuration file changes, if `watchConfig` is on. Returns a function that stops watching. */
export function watchConfig({ file, watchConfig: isEnabled }: Config, changed: () => void): () => void {
  return isEnabled && file !== undefined ? watchFile(file, changed) : () => undefined;
}
