import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home folder: `HOME`, or the one in the password database, or `/`. An empty or relative `HOME` is ignored: it
 * would depend on the current folder.
 */
export function ownHome(): string {
  for (const homeOf of [homedir, () => userInfo().homedir]) {
    try {
      const folder = homeOf();
      if (isAbsolute(folder)) return folder;
    } catch {
      // In containers, a user often has no entry in the password database.
    }
  }
  return '/';
}
