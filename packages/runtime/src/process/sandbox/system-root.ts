import { lstat, readlink, stat } from 'node:fs/promises';
import type { Mount } from './sandbox.ts';

/** What of the host every sandbox sees: its shared libraries, read-only, and nothing that can be run. */
export interface SystemRoot {
  mounts: readonly Mount[];
  /** `/lib` and its like, where they are links into `/usr`. */
  links: Readonly<Record<string, string>>;
  /** Files of /proc that would show something of the host, and are covered. */
  covered: readonly string[];
}

const multiarch: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * Finds the host's shared libraries. Where the host keeps those of an architecture in a folder of their own (Debian and
 * its kin) only that is taken, so that programs that live below `/usr/lib` do not come along.
 */
export async function systemRoot(): Promise<SystemRoot> {
  const own = `/usr/lib/${multiarch[process.arch] ?? process.arch}`;
  const libraries = (await isDirectory(own)) ? [own] : ['/usr/lib'];
  // The locale of `LANG`, which Debian keeps beside the libraries' folder and not in it.
  // Some libraries are links to the one of several packages that Debian has chosen; nothing but links is in that folder.
  const files = ['/etc/ld.so.cache', '/etc/alternatives', '/usr/share/zoneinfo', '/usr/lib/locale/C.utf8'];
  const mounts: Mount[] = [];
  for (const path of [...libraries, '/usr/lib64', '/usr/lib32', ...files]) {
    if (libraries.some((folder) => path.startsWith(`${folder}/`))) continue;
    if (await exists(path)) mounts.push({ source: path, target: path });
  }
  const links: Record<string, string> = {};
  for (const path of ['/lib', '/lib64', '/lib32']) {
    const entry = await lstat(path).catch(() => undefined);
    if (entry?.isSymbolicLink() === true) links[path] = await readlink(path);
    else if (entry?.isDirectory() === true) mounts.push({ source: path, target: path });
  }
  // It names the keys of its reader's user, who is the daemon's where that is not root. Not every kernel has it.
  const covered = (await exists('/proc/keys')) ? ['/proc/keys'] : [];
  return { mounts, links, covered };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
