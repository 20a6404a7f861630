import type { Config } from '../../config/config.ts';
import { watchFile } from '../watch-file.ts';

/**
 * Calls `changed` when the configuration's file is another than it was, if the configuration asks for that; until the
 * function that it returns is called.
 */
export function watchConfig({ file, watchConfig: wanted }: Config, changed: () => void): () => void {
  return wanted && file !== undefined ? watchFile(file, changed) : () => undefined;
}
