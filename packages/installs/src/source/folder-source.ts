import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '../install-error.ts';
import type { Source, SourceEntry } from './source.ts';

/** Folders that hold no skills, and too much else. */
const skipped: readonly string[] = ['.git', 'node_modules'];

/** A folder of this machine; each listing reads it again. Links are never followed. */
export function folderSource(root: string): Source {
  return {
    async *entries() {
      // Without recursion, so that any depth is possible.
      const open = [''];
      for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
        const names = await orMissing(root, () => readdir(join(root, folder ?? '')));
        for (const name of names.sort()) {
          const path = folder === '' ? name : `${folder}/${name}`;
          const entry = await entryAt(root, path);
          yield entry;
          if (entry.kind === 'folder' && !skipped.includes(name)) open.push(path);
        }
      }
    },
  };
}

async function entryAt(root: string, path: string): Promise<SourceEntry> {
  const at = join(root, path);
  const stats = await orMissing(root, () => lstat(at));
  const common = {
    path,
    bytes: stats.isFile() ? stats.size : 0,
    isExecutable: (stats.mode & 0o100) !== 0,
    read: () => orMissing(root, () => contentOf(root, path, stats.size)),
  };
  if (stats.isSymbolicLink())
    return { ...common, kind: 'symlink', target: await orMissing(root, () => readlink(at)) };
  return { ...common, kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'special' };
}

/**
 * The kernel reports which file was opened, so a folder that was replaced by a link since it was listed is refused. So is a file
 * of another kind or size: nothing that replaces a listed file is read as a whole.
 */
async function contentOf(root: string, path: string, bytes: number): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const replaced = new Error(`${path} was replaced while it was read; try again`);
    if ((await readlink(`/proc/self/fd/${file.fd}`)) !== join(await realpath(root), path)) throw replaced;
    const stats = await file.stat();
    if (!stats.isFile() || stats.size !== bytes) throw replaced;
    const content = Buffer.allocUnsafe(bytes);
    let length = 0;
    while (length < bytes) {
      const { bytesRead } = await file.read(content, length, bytes - length, length);
      if (bytesRead === 0) throw replaced;
      length += bytesRead;
    }
    return content;
  } finally {
    await file.close();
  }
}

async function orMissing<Result>(root: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENAMETOOLONG')
      throw new InstallError(
        'SOURCE_TOO_LARGE',
        `${root} has folders nested deeper than the system can read; name a smaller part of it`,
        { cause },
      );
    throw new InstallError('SOURCE_MISSING', `cannot read ${root}: ${(cause as Error).message}`, { cause });
  }
}
