import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { AmbitClientError } from '../../failure/ambit-client-error.ts';
import { accountHome } from '../user-places.ts';

/** The kind of path that a record applies to. */
export type TrustedKind = 'configuration' | 'data directory';

/** One file or folder that the user trusts, for as long as its content has these digests. */
export interface TrustRecord {
  kind: TrustedKind;
  /** Absolute and without links, except for the last part. */
  path: string;
  /** SHA-256 in hex, by name. */
  digests: Readonly<Record<string, string>>;
  /** ISO 8601. */
  trustedAt: string;
}

/**
 * The records of one user. Each method rejects with a `TrustStoreError` if others could have
 * changed the store.
 */
export interface TrustStore {
  find(kind: TrustedKind, path: string): Promise<TrustRecord | undefined>;
  list(): Promise<readonly TrustRecord[]>;
  /** Replaces the record of the same kind and path. */
  put(record: TrustRecord): Promise<void>;
  /** Resolves to whether there was such a record. */
  remove(record: Pick<TrustRecord, 'kind' | 'path'>): Promise<boolean>;
}

/** The trust store cannot be used; the message says why and what to do. */
export class TrustStoreError extends AmbitClientError {
  override readonly name = 'TrustStoreError';
}

const recordBytesMax = 16 * 1024;

/**
 * The store below the user's data folder: one file for each record, so that two commands do not
 * overwrite each other. The folder and every file must belong to this user and be closed to all
 * others, which files of a repository are not.
 */
export function trustStore(dataHome: string | undefined): TrustStore {
  const place = dataHome === undefined ? undefined : trustStoreFolder(dataHome);
  return {
    async find(kind, path) {
      const folder = await usable(place);
      if (folder === undefined) return undefined;
      const record = await readRecord(join(folder, fileName({ kind, path })));
      if (record?.kind !== kind || record.path !== path) return undefined;
      await refuseInside(folder, path);
      return record;
    },
    async list() {
      const folder = await usable(place);
      if (folder === undefined) return [];
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
      return records.filter((record) => record !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async put(record) {
      const folder = await made(place);
      await refuseInside(folder, record.path);
      const draft = join(folder, randomUUID());
      await writeFile(draft, `${JSON.stringify(record)}\n`, { flag: 'wx', mode: 0o600 });
      await rename(draft, join(folder, fileName(record)));
    },
    async remove(record) {
      const folder = await usable(place);
      if (folder === undefined) return false;
      return rm(join(folder, fileName(record))).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Returns the path of the trust store below the user's data folder. */
export function trustStoreFolder(dataHome: string): string {
  return join(dataHome, 'ambit', 'trusted');
}

function fileName({ kind, path }: Pick<TrustRecord, 'kind' | 'path'>): string {
  return `${createHash('sha256').update(`${kind}\0${path}`).digest('hex')}.json`;
}

/**
 * The store's folder; `undefined` if nothing was ever trusted. Rejects if others could have changed
 * it.
 */
async function usable(place: string | undefined): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const stats = await lstat(place).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) throw new TrustStoreError(`the trust store ${place} is not a folder: remove it`);
  if (!isOurs(stats))
    throw new TrustStoreError(`the trust store ${place} belongs to another user: remove it`);
  if (isOpen(stats))
    throw new TrustStoreError(
      `other users can read or write the trust store ${place}: check what is in it, then run "chmod -R go= ${place}"`,
    );
  return realpath(place);
}

async function made(place: string | undefined): Promise<string> {
  if (place === undefined)
    throw new TrustStoreError(
      'there is no folder for the trust store: set XDG_DATA_HOME to a folder of yours',
    );
  const there = await usable(place);
  if (there !== undefined) return there;
  // As root in another user's home, it would make folders there that this user could not use.
  const above = await nearest(place);
  if (!isOurs(await stat(above)))
    throw new TrustStoreError(
      `the trust store ${place} cannot be created: ${above} belongs to another user; set XDG_DATA_HOME to a folder of yours`,
    );
  await mkdir(place, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new TrustStoreError(
      `the trust store ${place} cannot be created (${cause.message}): set XDG_DATA_HOME to a folder that you can write`,
      { cause },
    );
  });
  return realpath(place);
}

async function nearest(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined && path !== dirname(path) ? nearest(dirname(path)) : path;
}

/** A repository that contains the store would vouch for itself. A home folder may contain it. */
async function refuseInside(folder: string, path: string): Promise<void> {
  const around = dirname(path);
  const home = accountHome();
  if (around === dirname(folder) || !isWithin(folder, around)) return;
  if (home !== undefined && isWithin(await realpath(home).catch(() => home), around)) return;
  throw new TrustStoreError(
    `the trust store ${folder} is inside the folder that it would vouch for: set XDG_DATA_HOME to a folder outside ${around}`,
  );
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** The record in a file; `undefined` for a file that this user did not write as a record. */
async function readRecord(file: string): Promise<TrustRecord | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || !isOurs(stats) || isOpen(stats) || stats.size > recordBytesMax) return undefined;
      const record: unknown = JSON.parse(await handle.readFile('utf8'));
      return isRecord(record) ? record : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is TrustRecord {
  const { kind, path, digests, trustedAt }: Partial<Record<keyof TrustRecord, unknown>> = Object(value);
  return (
    (kind === 'configuration' || kind === 'data directory') &&
    typeof path === 'string' &&
    typeof trustedAt === 'string' &&
    typeof digests === 'object' &&
    digests !== null
  );
}

function isOurs({ uid }: { uid: number }): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function isOpen({ mode }: { mode: number }): boolean {
  return process.geteuid !== undefined && (mode & 0o077) !== 0;
}
