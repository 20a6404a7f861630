import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of our worker threads: none of the caller's variables, and the compile cache if
 * this thread uses one. Without it, a thread would strip types and compile again.
 */
export function threadEnvironment(): Record<string, string> {
  const dir = getCompileCacheDir();
  // The configured folder has a subfolder per version of Node.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}
