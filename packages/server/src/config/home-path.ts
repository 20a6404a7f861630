import { join } from 'node:path';

/** Expands `~` and `~/…` to the home directory, like a shell. */
export function withHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
