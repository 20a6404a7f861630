import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder for this user's own data: `XDG_DATA_HOME`, else `~/.local/share`. The home folder
 * comes from the password database, as for ssh, because `HOME` may lead into a project. `undefined`
 * if there is none. Relative paths are ignored.
 */
export function userDataHome(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = environment['XDG_DATA_HOME'];
  if (named !== undefined && isAbsolute(named)) return named;
  const home = accountHome() ?? environment['HOME'];
  return home !== undefined && isAbsolute(home) ? join(home, '.local/share') : undefined;
}

/** The home folder in the password database. A container's user often has no entry there. */
export function accountHome(): string | undefined {
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
