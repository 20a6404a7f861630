import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The home folder of this user: `HOME`, else that of the password database, else the root folder. An empty or relative
 * `HOME` is ignored: it would lead to whatever folder a command is started in.
 */
export function ownHome(): string {
  for (const ask of [homedir, () => userInfo().homedir]) {
    try {
      const folder = ask();
      if (isAbsolute(folder)) return folder;
    } catch {
      // A user of a container often has no entry in the password database.
    }
  }
  return '/';
}
