import { lstat, readlink, stat } from 'node:fs/promises';
import type { Mount } from '../sandbox.ts';

/** The host files in every sandbox: shared libraries, read-only, and no programs. */
export interface SystemRoot {
  mounts: readonly Mount[];
  /** `/lib`, `/lib64` and `/lib32`, if they are links into `/usr`. */
  links: Readonly<Record<string, string>>;
  /** Hidden files in /proc that would show information about the host. */
  covered: readonly string[];
}

const multiarch: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * Finds the host's shared libraries. If the host has a folder for each architecture (Debian and its
 * derivatives), only that folder is used, because `/usr/lib` also contains programs.
 */
export async function systemRoot(): Promise<SystemRoot> {
  const own = `/usr/lib/${multiarch[process.arch] ?? process.arch}`;
  const libraries = (await isDirectory(own)) ? [own] : ['/usr/lib'];
  // Locales are outside Debian's library folder. Some libraries are links through
  // /etc/alternatives, which contains only links.
  const files = ['/etc/ld.so.cache', '/etc/alternatives', '/usr/share/zoneinfo', '/usr/lib/locale'];
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
  // It lists the keys of its reader's user, which is the daemon's user unless that is root. Not
  // every kernel has it.
  const covered = (await exists('/proc/keys')) ? ['/proc/keys'] : [];
  return { mounts, links, covered };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
