import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of a thread of ours: nothing of the caller's, and where compiled code is kept when this thread keeps it,
 * since a thread would else strip and compile again what its parent has at hand.
 */
export function threadEnvironment(): Record<string, string> {
  const dir = getCompileCacheDir();
  // Below what was named is a folder for each version of Node.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}
