import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { liesWithin } from '@ambit/core/policy';
import { looksSecret } from '@ambit/core/skill';
import type { ContextLocation } from './context-location.ts';

/** An open file or folder that may be read. The caller closes it. */
export interface OpenPath {
  handle: FileHandle;
  stats: Stats;
  kind: 'file' | 'folder';
}

/** The parts of a project that may be read. */
export interface ContainingFolder extends Pick<ContextLocation, 'hidden' | 'allowSecretFiles'> {
  /** As configured. */
  root: string;
  /** With links resolved. */
  realRoot: string;
}

/**
 * Opens a file or folder of a project for reading. `path` is resolved against `base`, a folder of
 * the project. After opening, the kernel reports where the open file really is, so a link swapped
 * in meanwhile is refused. It does not wait and opens no device.
 *
 * Rejects with a message that contains no host path.
 */
export async function openContained(
  project: ContainingFolder,
  base: string,
  path: string,
): Promise<OpenPath> {
  if (path.includes('\0')) throw new Error('a path cannot contain a NUL byte');
  // The path is shown as a title, outside the limit on content.
  if (path.length > pathCharactersMax)
    throw new Error(`the path has ${path.length} characters; at most ${pathCharactersMax} are allowed`);
  const target = resolve(base, path);
  const { root, realRoot } = project;
  // Checked before the file system is accessed, so callers cannot probe what exists outside.
  if (!liesWithin(target, root) && !liesWithin(target, realRoot)) throw outside();
  const real = await realpath(target).catch((error: unknown) => {
    throw explained(error);
  });
  refuse(project, real);
  assertKind(await lstat(real).catch(rethrowExplained));
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY).catch(rethrowExplained);
  try {
    refuse(project, await realPathOf(handle));
    const stats = await handle.stat();
    // Deleted since, so its location is unknown.
    if (stats.nlink === 0) throw notFound();
    return { handle, stats, kind: assertKind(stats) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const pathCharactersMax = 1024;

/** The path of an open folder, for calls that take a path. It cannot be swapped. */
export function pathOf(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

async function realPathOf(handle: FileHandle): Promise<string> {
  return readlink(pathOf(handle)).catch(() => {
    throw new Error(
      '/proc is missing on this machine, so an open file cannot be located; gathering context requires Linux',
    );
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
    'its name suggests that it contains secrets, and a prompt leaves this machine; the operator can allow it by its path',
  );
}

function assertKind(stats: Stats): OpenPath['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  throw new Error('it is neither a file nor a folder');
}

function outside(): Error {
  return new Error('the path is outside the project; use a path within it');
}

function notFound(): Error {
  return new Error('no such file');
}

function rethrowExplained(error: unknown): never {
  throw explained(error);
}

function explained(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return notFound();
  if (code === 'EACCES' || code === 'EPERM') return new Error('permission denied');
  if (code === 'ELOOP') return new Error('its links form a cycle or changed while it was opened');
  return new Error(`it cannot be read (${code ?? 'unknown'})`);
}
