import { join } from 'node:path';

/** A path as a shell would read it: `~` and `~/…` stand for the home directory; everything else stays. */
export function withHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
