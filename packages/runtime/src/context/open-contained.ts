import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { liesWithin, looksSecret } from '@ambit/core/internal';
import type { ContextLocation } from './context-location.ts';

/** A file or folder that is open, and known to be where it may be read. The caller closes it. */
export interface Opened {
  handle: FileHandle;
  stats: Stats;
  kind: 'file' | 'folder';
}

/** What of a project may be read. */
export interface ContainingFolder extends Pick<ContextLocation, 'hidden' | 'allowSecretFiles'> {
  /** As the operator wrote it. */
  root: string;
  /** Its links resolved. */
  realRoot: string;
}

/**
 * Opens a file or folder of a project for reading. `path` is resolved against `base`, a folder of the project. What counts
 * is where the open file really is, which the kernel is asked after opening: a link that is swapped in meanwhile changes
 * what is opened, and then that is refused. Nothing is waited for, and no device is opened.
 *
 * Rejects with a sentence that names no path of the host.
 */
export async function openContained(
  enclosure: ContainingFolder,
  base: string,
  path: string,
): Promise<Opened> {
  if (path.includes('\0')) throw new Error('a path holds no NUL byte');
  // It stands above what is shown, beyond the bounds of that.
  if (path.length > pathCharactersMax)
    throw new Error(`its path has ${path.length} characters; at most ${pathCharactersMax} are followed`);
  const asked = resolve(base, path);
  const { root, realRoot } = enclosure;
  // Before anything is looked up, so that nobody learns what there is outside.
  if (!liesWithin(asked, root) && !liesWithin(asked, realRoot)) throw outside();
  const real = await realpath(asked).catch((error: unknown) => {
    throw explained(error);
  });
  refuse(enclosure, real);
  assertKind(await lstat(real).catch(rethrowExplained));
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY).catch(rethrowExplained);
  try {
    refuse(enclosure, await placeOf(handle));
    const stats = await handle.stat();
    // Unlinked since: nothing tells where it was.
    if (stats.nlink === 0) throw gone();
    return { handle, stats, kind: assertKind(stats) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const pathCharactersMax = 1024;

/** The folder that an open one is, for calls that take a path: it cannot be swapped. */
export function pathOf(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

async function placeOf(handle: FileHandle): Promise<string> {
  return readlink(pathOf(handle)).catch(() => {
    throw new Error('this machine has no /proc to tell where an open file is; context is gathered on Linux');
  });
}

function refuse({ realRoot, hidden = [], allowSecretFiles = [] }: ContainingFolder, real: string): void {
  if (!liesWithin(real, realRoot)) throw outside();
  if (hidden.some((place) => liesWithin(real, place))) throw new Error('it belongs to Ambit itself');
  const inside = relative(realRoot, real);
  if (
    !looksSecret(inside) ||
    allowSecretFiles.some((allowed) => liesWithin(`/${inside}`, resolve('/', allowed)))
  )
    return;
  throw new Error(
    'its name says that it holds secrets, and a prompt leaves this machine; the operator can allow it by its path',
  );
}

function assertKind(stats: Stats): Opened['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  throw new Error('it is neither a file nor a folder');
}

function outside(): Error {
  return new Error('it lies outside the project; name a path within it');
}

function gone(): Error {
  return new Error('there is no such file');
}

function rethrowExplained(error: unknown): never {
  throw explained(error);
}

function explained(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return gone();
  if (code === 'EACCES' || code === 'EPERM') return new Error('it cannot be read: permission denied');
  if (code === 'ELOOP') return new Error('its links lead nowhere, or changed while it was opened');
  return new Error(`it cannot be read (${code ?? 'unknown'})`);
}
