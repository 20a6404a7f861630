import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SkillError } from '@ambit/core';

/** One file below a folder, as it is listed; links are listed and never followed. */
export interface FolderEntry {
  /** Relative, with forward slashes. */
  path: string;
  bytes: number;
  /** Where a symbolic link points; its digest is over this text. */
  link: string | undefined;
}

/** A folder's files and a text that changes when any of them does. */
export interface FolderListing {
  entries: readonly FolderEntry[];
  signature: string;
}

const bounds = { files: 10_000, depth: 32, bytes: 512 * 1024 * 1024 };

/**
 * Lists every file below `root`, in order of path. The signature covers path, size, inode and the times of content and
 * of inode, and folders by path, inode and its time, so that no edit, not even one that restores the modification time or
 * puts another folder in one's place, goes unseen.
 *
 * Throws `SKILL_INVALID` when the folder is larger than a skill has any reason to be, or holds something that is
 * neither a file, a folder nor a link.
 */
export async function listFolder(root: string): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  const signature: string[] = [];
  let bytes = 0;
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > bounds.depth) throw tooLarge(`is nested more than ${bounds.depth} deep at ${folder}`);
    for (const name of (await readdir(join(root, folder))).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = await lstat(join(root, path), { bigint: true });
      if (stats.isDirectory()) {
        // A folder that takes another's name changes no file in it.
        signature.push(`${path}/\0${stats.ino}\0${stats.ctimeNs}`);
        await visit(path, depth + 1);
        continue;
      }
      if (!stats.isFile() && !stats.isSymbolicLink())
        throw tooLarge(`holds ${JSON.stringify(path)}, which is no ordinary file`);
      if (/[\0\n]/.test(path))
        throw tooLarge(`holds a file with a line break in its name: ${JSON.stringify(path)}`);
      const link = stats.isSymbolicLink() ? await readlink(join(root, path)) : undefined;
      bytes += Number(stats.size);
      if (bytes > bounds.bytes) throw tooLarge(`holds more than ${bounds.bytes} bytes`);
      if (entries.push({ path, bytes: Number(stats.size), link }) > bounds.files) {
        throw tooLarge(`holds more than ${bounds.files} files`);
      }
      signature.push(`${path}\0${stats.size}\0${stats.ino}\0${stats.mtimeNs}\0${stats.ctimeNs}`);
    }
  };
  await visit('', 0);
  return { entries, signature: signature.join('\n') };
}

/** SHA-256 of a file's content, read in pieces; of a link, of the text it holds. Hex. */
export async function hashFile(root: string, { path, link }: FolderEntry): Promise<string> {
  const hash = createHash('sha256');
  if (link === undefined) await pipeline(createReadStream(join(root, path)), hash);
  else hash.update(`link\0${link}`);
  return hash.digest('hex');
}

function tooLarge(what: string): SkillError {
  return new SkillError('SKILL_INVALID', `the folder ${what}; it is not read`);
}
