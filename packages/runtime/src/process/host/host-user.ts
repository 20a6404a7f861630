import { readFileSync } from 'node:fs';

/** A user of this machine, from `/etc/passwd` and `/etc/group`. */
export interface HostUser {
  name: string;
  uid: number;
  gid: number;
  /** All of its groups, `gid` first. */
  groups: readonly number[];
  home: string;
  shell: string;
}

/** The user of that name; `undefined` if there is none. */
export function hostUser(name: string): HostUser | undefined {
  const found = records('/etc/passwd').find(([first]) => first === name);
  if (found === undefined) return undefined;
  const [, , uid, gid, , home, shell] = found;
  const ids = { uid: numberOf(uid), gid: numberOf(gid) };
  if (ids.uid === undefined || ids.gid === undefined) return undefined;
  const others = records('/etc/group').flatMap(([, , id, members]) =>
    members?.split(',').includes(name) === true ? (numberOf(id) ?? []) : [],
  );
  return {
    name,
    uid: ids.uid,
    gid: ids.gid,
    groups: [...new Set([ids.gid, ...others])],
    home: home || '/',
    shell: shell || '/bin/sh',
  };
}

/** Returns why a program may not run as the user of that name; `undefined`: it may. */
export function userProblem(name: string, user = hostUser(name)): string | undefined {
  if (user === undefined) return `this machine has no user ${JSON.stringify(name)} in /etc/passwd`;
  if (user.uid === 0) return `${JSON.stringify(name)} is root, and no skill runs as root`;
  return undefined;
}

function records(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
}

/** Ids have 32 bits. `setpriv` reads the largest as no change, and wraps larger ones: both could leave it root. */
const idMax = 2 ** 32 - 2;

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  return Number(text) <= idMax ? Number(text) : undefined;
}
