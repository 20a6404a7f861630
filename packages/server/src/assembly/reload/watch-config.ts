import type { Config } from '../../config/config.ts';
import { watchFile } from '../watch-file.ts';

/** Calls `changed` when the configuration file changes, if `watchConfig` is on. Returns a function that stops watching. */
export function watchConfig({ file, watchConfig: isEnabled }: Config, changed: () => void): () => void {
  return isEnabled && file !== undefined ? watchFile(file, changed) : () => undefined;
}
