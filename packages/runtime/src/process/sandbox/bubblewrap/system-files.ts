import { userInside } from './user-namespace.ts';

/** The host name inside a sandbox. */
export const hostName = 'ambit';

/** The user name of a skill inside. */
const userName = 'skill';

/**
 * The files in `/etc` of every sandbox. They define `localhost`, the host name and the user, which
 * programs expect on any machine; none of it comes from the host. Without `dns` in `nsswitch.conf`,
 * the C library asks no resolver.
 */
export const systemFiles: Readonly<Record<string, string>> = {
  '/etc/hosts': lines(`127.0.0.1 localhost ${hostName}`),
  '/etc/passwd': lines(
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${userName}:x:${userInside}:${userInside}:${userName}:/tmp:/bin/sh`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ),
  '/etc/group': lines('root:x:0:', `${userName}:x:${userInside}:`, 'nogroup:x:65534:'),
  '/etc/nsswitch.conf': lines('passwd: files', 'group: files', 'hosts: files'),
};

/**
 * For sandboxes of a daemon that is root. They run as another user, so git would take every repository for a stranger's and refuse
 * it. What a repository configures runs in the sandbox, with the grant of the call.
 */
export const gitConfiguration: Readonly<Record<string, string>> = {
  '/etc/gitconfig': lines('[safe]', '\tdirectory = *'),
};

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
