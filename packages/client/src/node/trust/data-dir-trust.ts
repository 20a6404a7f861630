import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type TrustStore, TrustStoreError } from './trust-store.ts';

/** What tells this data directory from another one that comes to stand in its place. */
const markFile = 'trust-mark';
/** What decides who may call. */
const keyFiles = ['key', 'keys.json'] as const;
const fileBytesMax = 16 * 1024 * 1024;

/**
 * Why a data directory that nobody named is not used; `undefined` when it is this user's own, or is not there. It is the
 * user's own when the store has its mark, and its keys are none or those that the store has. Rejects with a `TrustStoreError`.
 */
export async function whyDataDirUntrusted(store: TrustStore, dataDir: string): Promise<string | undefined> {
  const stats = await lstat(dataDir).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return stats.isSymbolicLink() ? 'it is a symbolic link' : 'it is no folder';
  const record = await store.find('data directory', await placeOf(dataDir));
  const mark = await digestOf(join(dataDir, markFile));
  if (record === undefined || mark === undefined || record.digests[markFile] !== mark)
    return 'your Ambit did not make it here';
  for (const name of keyFiles) {
    const digest = await digestOf(join(dataDir, name));
    if (digest !== undefined && record.digests[name] !== digest)
      return `its ${name} is not what your Ambit wrote there`;
  }
  return undefined;
}

/**
 * Records a data directory as this user's own, with the keys that it has now, and marks it. Rejects with a `TrustStoreError`,
 * for a link too.
 */
export async function trustDataDir(store: TrustStore, dataDir: string, now: number): Promise<void> {
  if (!(await lstat(dataDir)).isDirectory())
    throw new TrustStoreError(
      `${dataDir} is no folder of its own: put the data directory itself there, or name its real place with dataDir`,
    );
  const draft = join(dataDir, `${markFile}.${randomUUID()}`);
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  // Whatever has the name, a link too, is replaced and not followed.
  await rename(draft, join(dataDir, markFile)).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
  await record(store, dataDir, now);
}

/** Records the keys that it has now, after this user's own Ambit has changed them; does nothing for one not recorded. */
export async function trustNewKeys(store: TrustStore, dataDir: string, now: number): Promise<void> {
  const known = await store.find('data directory', await placeOf(dataDir));
  const mark = await digestOf(join(dataDir, markFile));
  if (known !== undefined && known.digests[markFile] === mark) await record(store, dataDir, now);
}

/** Where it is, by real folders; its own name stays, so that a link is not taken for what it leads to. */
export async function placeOf(path: string): Promise<string> {
  const absolute = resolve(path);
  return join(await realpath(dirname(absolute)), basename(absolute));
}

async function record(store: TrustStore, dataDir: string, now: number): Promise<void> {
  const digests: Record<string, string> = {};
  for (const name of [markFile, ...keyFiles]) {
    const digest = await digestOf(join(dataDir, name));
    if (digest !== undefined && digest !== unreadable) digests[name] = digest;
  }
  const [path, trustedAt] = [await placeOf(dataDir), new Date(now).toISOString()];
  await store.put({ kind: 'data directory', path, digests, trustedAt });
}

/** Never recorded, so that no record matches it. */
const unreadable = 'unreadable';

/** `undefined` for a file that is not there. */
async function digestOf(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > fileBytesMax) return unreadable;
      const content = await handle.readFile();
      return createHash('sha256').update(content).digest('hex');
    } finally {
      await handle.close();
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadable;
  }
}
