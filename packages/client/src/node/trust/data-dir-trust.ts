import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type TrustStore, TrustStoreError } from './trust-store.ts';

/** Identifies the data directory, so that another one in the same place is not taken for it. */
const markFile = 'trust-mark';
/** The files that decide who may call, as Ambit leaves them. */
const keyFiles = ['key', 'keys.db'] as const;
/** With these, SQLite reads other keys than `keys.db` has. They exist while a command changes it, or after it was killed. */
const journals = ['keys.db-journal', 'keys.db-wal'] as const;
const fileBytesMax = 16 * 1024 * 1024;

/**
 * Returns why Ambit must not use a data directory that it found; `undefined` if it is this user's own or
 * does not exist. It is the user's own if the store has its mark and every key file in it. Rejects
 * with a `TrustStoreError`.
 */
export async function whyDataDirUntrusted(store: TrustStore, dataDir: string): Promise<string | undefined> {
  const stats = await lstat(dataDir).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return stats.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder';
  const record = await store.find('data directory', await placeOf(dataDir));
  const mark = await digestOf(join(dataDir, markFile));
  if (record === undefined || mark === undefined || record.digests[markFile] !== mark)
    return 'it is not recorded as yours (Ambit records only directories that it creates without --config and --data-dir)';
  for (const name of [...keyFiles, ...journals]) {
    const digest = await digestOf(join(dataDir, name));
    if (digest !== undefined && record.digests[name] !== digest)
      return `your Ambit did not write its ${name}`;
  }
  return undefined;
}

/**
 * Whether a data directory is what a killed Ambit leaves of a new one: the user's, private, never recorded, and with nothing
 * in it but a mark and the `.gitignore` that Ambit writes, perhaps not to its end. Another `.gitignore` could let Git commit
 * the keys. Rejects with a `TrustStoreError`.
 */
export async function isUnusedDataDir(store: TrustStore, dataDir: string): Promise<boolean> {
  const stats = await lstat(dataDir).catch(() => undefined);
  if (!stats?.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o777) !== 0o700)
    return false;
  for (const name of await readdir(dataDir)) {
    const isMark = name === markFile || name.startsWith(`${markFile}.`);
    if (!isMark && !(name === '.gitignore' && (await hidesAll(join(dataDir, name))))) return false;
  }
  return (await store.find('data directory', await placeOf(dataDir))) === undefined;
}

/** Whether a file is the `.gitignore` of a new data directory, or a beginning of it. */
async function hidesAll(file: string): Promise<boolean> {
  const beginnings = ['', '*', '*\n'].map((text) => createHash('sha256').update(text).digest('hex'));
  return beginnings.includes((await digestOf(file)) ?? '');
}

/** The SHA-256 of each file that decides who may call, by name, hex; `unreadable` if trust never covers the file. */
export function keyDigests(dataDir: string): Promise<Record<string, string>> {
  return digestsOf(dataDir, [...keyFiles, ...journals]);
}

/**
 * Records a data directory as this user's own, with its keys, and marks it. `keys` are the digests
 * that the user has seen; by default the present ones. Rejects with a `TrustStoreError`, also if it
 * is a link.
 */
export async function trustDataDir(
  store: TrustStore,
  dataDir: string,
  now: number,
  keys?: Readonly<Record<string, string>>,
): Promise<void> {
  if (!(await lstat(dataDir)).isDirectory())
    throw new TrustStoreError(
      `${dataDir} is not a folder but a link or a file: put the data directory itself there, or set dataDir to its real path`,
    );
  const draft = join(dataDir, `${markFile}.${randomUUID()}`);
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  // A rename replaces a link of this name instead of following it.
  await rename(draft, join(dataDir, markFile)).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
  const mark = await digestsOf(dataDir, [markFile]);
  await record(store, dataDir, now, { ...mark, ...(keys ?? (await keyDigests(dataDir))) });
}

/**
 * Records the present keys after this user's own Ambit has changed them. Does nothing if the
 * directory is not recorded.
 */
export async function trustNewKeys(store: TrustStore, dataDir: string, now: number): Promise<void> {
  const known = await store.find('data directory', await placeOf(dataDir));
  const present = [markFile, ...keyFiles];
  let digests = await digestsOf(dataDir, present);
  if (known === undefined || known.digests[markFile] !== digests[markFile]) return;
  // Several commands may change the keys and record them. The last of them must record the final keys.
  for (let attempts = 0; attempts < 100; attempts += 1) {
    await record(store, dataDir, now, digests);
    const recorded = JSON.stringify(digests);
    digests = await digestsOf(dataDir, present);
    if (JSON.stringify(digests) === recorded) return;
  }
}

/** The real path of its folder, with its own name: a link is not resolved to its target. */
export async function placeOf(path: string): Promise<string> {
  const absolute = resolve(path);
  return join(await realpath(dirname(absolute)), basename(absolute));
}

async function record(
  store: TrustStore,
  dataDir: string,
  now: number,
  digests: Record<string, string>,
): Promise<void> {
  await store.put({
    kind: 'data directory',
    path: await placeOf(dataDir),
    digests: Object.fromEntries(Object.entries(digests).filter(([, digest]) => digest !== unreadable)),
    trustedAt: new Date(now).toISOString(),
  });
}

/** Returns the digests of those files that exist. */
async function digestsOf(dataDir: string, names: readonly string[]): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const name of names) {
    const digest = await digestOf(join(dataDir, name));
    if (digest !== undefined) digests[name] = digest;
  }
  return digests;
}

/** Never recorded, so that no record matches it. */
const unreadable = 'unreadable';

/** `undefined` for a file that does not exist. */
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
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? undefined : unreadable;
  }
}
