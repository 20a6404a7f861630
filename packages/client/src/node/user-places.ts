import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folders of this user. All are absolute paths. */
export interface UserPlaces {
  /** `HOME`, else the home folder in the password database, else `/`. */
  home: string;
  /** `XDG_DATA_HOME`, else `~/.local/share`; `undefined`: the user has no home folder. */
  dataHome: string | undefined;
  /** `XDG_CONFIG_HOME`, else `~/.config`; `undefined` likewise. */
  configHome: string | undefined;
}

/**
 * Returns this user's folders. Empty and relative variables are ignored, as the XDG Base Directory Specification requires:
 * they would depend on the current folder. For `dataHome` and `configHome`, `~` is the home folder in the password database,
 * as for ssh, because `HOME` may lead into a project.
 */
export function userPlaces(environment: Readonly<Record<string, string | undefined>>): UserPlaces {
  const absolute = (path: string | undefined): string | undefined =>
    path !== undefined && isAbsolute(path) ? path : undefined;
  const own = absolute(environment['HOME']);
  const account = absolute(accountHome());
  const base = account ?? own;
  const below = (folder: string): string | undefined => base && join(base, folder);
  return {
    home: own ?? account ?? '/',
    dataHome: absolute(environment['XDG_DATA_HOME']) ?? below('.local/share'),
    configHome: absolute(environment['XDG_CONFIG_HOME']) ?? below('.config'),
  };
}

/** The home folder in the password database. A container's user often has no entry there. */
export function accountHome(): string | undefined {
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}
