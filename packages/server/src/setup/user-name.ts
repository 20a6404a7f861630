import { userInfo } from 'node:os';

/** The user of this process. In containers, users often have no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
