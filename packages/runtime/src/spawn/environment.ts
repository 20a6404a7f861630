import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** The environment of a process. A variable that is not set is absent or `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The named variables that are set. */
export function namedVariables(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/**
 * The environment of our worker threads: none of the caller's variables, and the compile cache if
 * this thread uses one. Without it, a thread would strip types and compile again.
 */
export function threadEnvironment(): Record<string, string> {
  const dir = getCompileCacheDir();
  // The configured folder has a subfolder per version of Node.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}
