import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestText, type SkillFile } from '@ambit/core/skill';
import { isSettled, stampOf, textOf } from '../../skills/folder/stamp.ts';

/** A folder of packages, as its file system lists it. */
interface Tree {
  files: readonly { path: string; bytes: number }[];
  /** Changes with every file. */
  signature: string;
  /** Whether a later edit would change the signature. False just after an edit. */
  settled: boolean;
}

/** The `treeDigest` of folders, which are read again only if they have changed. */
export type TreeDigests = (root: string) => Promise<string>;

/** Remembers the digests of the folders that it has read. */
export function treeDigests(): TreeDigests {
  const known = new Map<string, { signature: string; digest: string }>();
  return async (root) => {
    const tree = await listTree(root);
    const before = known.get(root);
    if (before?.signature === tree.signature) return before.digest;
    const digest = await digestOf(root, tree);
    if (tree.settled) known.set(root, { signature: tree.signature, digest });
    return digest;
  };
}

/**
 * `sha256:…` over the paths, sizes and contents of all files in a folder, hidden ones too, like a skill's digest. Rejects if
 * there is anything but files and folders, or the folder cannot be read.
 */
export async function treeDigest(root: string): Promise<string> {
  return digestOf(root, await listTree(root));
}

async function digestOf(root: string, { files }: Tree): Promise<string> {
  const read: SkillFile[] = [];
  for (const { path, bytes } of files) read.push({ path, bytes, sha256: await sha256Of(join(root, path)) });
  return `sha256:${hash('sha256', digestText(read))}`;
}

async function listTree(root: string): Promise<Tree> {
  const startedMs = Date.now();
  const files: { path: string; bytes: number }[] = [];
  let newestNs = 0n;
  const visit = async (folder: string): Promise<string[]> => {
    const at = join(root, folder);
    const stats = await lstat(at, { bigint: true });
    if (stats.ctimeNs > newestNs) newestNs = stats.ctimeNs;
    const stamp = textOf(stampOf(at, stats));
    if (stats.isFile()) {
      files.push({ path: folder, bytes: Number(stats.size) });
      return [stamp];
    }
    if (!stats.isDirectory()) throw new Error(`${at} is neither a file nor a folder`);
    const names = (await readdir(at)).sort();
    const below = await Promise.all(names.map((name) => visit(folder === '' ? name : `${folder}/${name}`)));
    return [stamp, ...below.flat()];
  };
  const stamps = await visit('');
  return { files, signature: stamps.join('\n'), settled: isSettled(newestNs, startedMs) };
}

async function sha256Of(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const digest = createHash('sha256');
    for await (const piece of handle.createReadStream({ autoClose: false })) digest.update(piece as Buffer);
    return digest.digest('hex');
  } finally {
    await handle.close();
  }
}
