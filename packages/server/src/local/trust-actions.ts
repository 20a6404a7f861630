import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  configFileName,
  findProject,
  keyDigests,
  placeOf,
  projectDataDir,
  type TrustedKind,
  type TrustStore,
  trustDataDir,
  trustStore,
  type UserPlaces,
  userConfigFile,
  userDataDir,
} from '@ambit/client/node';
import { UsageError } from '@ambit/core/outcome';
import { ConfigError } from '../config/config-error.ts';
import { type AllowedGroup, allowedBy } from '../config/file/allowed-by.ts';
import { type ConfigFile, contentOf, parseConfigFile } from '../config/file/config-file.ts';
import { settingsSchema } from '../config/file/settings.ts';
import { readFound } from '../config/file-layer.ts';
import { Refusal } from '../errors/refusal.ts';
import { dataFiles } from '../setup/data-dir.ts';
import { keysFileSource } from '../store/keys/keys-file.ts';
import { contentDigest, trustConfig, whyConfigUntrusted } from '../trust/config-trust.ts';
import { defaultDataDir, whyUntrusted } from '../trust/found-data-dir.ts';
import { usingTrustStore } from './using-trust-store.ts';

/** The actions of `ambit trust`. */
export interface TrustActions {
  /**
   * Finds the configuration and data directory for an absolute folder, and what they would allow. Rejects with `USAGE_INVALID`
   * if there are none, and with a `ConfigError` for a configuration with mistakes.
   */
  review(folder: string): Promise<TrustReview>;
  /**
   * Trusts everything in a review, with exactly the reviewed content. Rejects with `REVIEW_STALE` if the keys of the data
   * directory have changed since, and with `TRUST_STORE_UNUSABLE`.
   */
  accept(review: TrustReview): Promise<void>;
  /** Everything that is trusted, sorted by path. Rejects as `accept` does. */
  list(): Promise<readonly ListedTrust[]>;
  /** Ends trust in an absolute path and in the folder there. Resolves to what was revoked; rejects as `accept` does. */
  revoke(path: string): Promise<readonly Pick<ListedTrust, 'kind' | 'path'>[]>;
}

/** A configuration and a data directory that Ambit found. `untrusted` says why Ambit does not use one yet. */
export interface TrustReview {
  /** Names what is shown: the content of the configuration, and the data directory with its keys. Different content has another name. */
  review: string;
  configuration: {
    path: string;
    sha256: string;
    untrusted: string | null;
    allows: readonly AllowedGroup[];
  } | null;
  /** `null` if it does not exist. */
  dataDir: {
    path: string;
    untrusted: string | null;
    /** The way in which other users can change it; `null`: they cannot. */
    exposed: string | null;
    /** The names of its keys, log and state. */
    holds: readonly string[];
    /** The SHA-256 of each file with keys, by name. */
    keys: Readonly<Record<string, string>>;
  } | null;
}

interface ListedTrust {
  kind: TrustedKind;
  path: string;
  trustedAt: string;
  status: 'trusted' | 'changed' | 'gone';
}

/** The actions of `ambit trust`, on this user's trust store. */
export function trustActions(places: UserPlaces): TrustActions {
  const { home, dataHome } = places;
  const store = trustStore(dataHome);
  /** The bytes shown by each review. */
  const shown = new WeakMap<TrustReview, Uint8Array>();
  return {
    async review(folder) {
      const cwd = await realFolder(folder);
      const isUsers = cwd === (await realpath(userDataDir(places) ?? '').catch(() => undefined));
      const project = isUsers ? undefined : await findProject({ cwd, ...places });
      const path = project?.file;
      const found = path === undefined ? undefined : await readConfig(path, { folder: dirname(path), home });
      const dataDir = found?.content.dataDir ?? defaultDataDir(project?.folder ?? null, dataHome);
      const reviewed = {
        configuration: found === undefined ? null : await configurationOf(found, dataHome),
        dataDir: await dataDirOf(dataDir, dataHome),
      };
      // The user's own data directory is reviewed if it needs that, and so is a project without files.
      if (project === undefined && reviewed.dataDir?.untrusted == null) throw noProject(cwd, places);
      const review: TrustReview = { review: nameOf(reviewed), ...reviewed };
      if (review.configuration === null && review.dataDir === null)
        throw new UsageError(`nothing to trust in ${cwd}: it has no ${configFileName} and no data directory`);
      if (found !== undefined) shown.set(review, found.bytes);
      return review;
    },
    async accept(review) {
      const { configuration, dataDir } = review;
      const bytes = shown.get(review);
      await usingTrustStore(async () => {
        if (dataDir?.untrusted) await trustWithKeys(store, dataDir);
        if (configuration?.untrusted && bytes !== undefined)
          await trustConfig(dataHome, configuration.path, bytes, Date.now());
      });
    },
    async list() {
      const records = await usingTrustStore(() => store.list());
      return Promise.all(
        records.map(async ({ kind, path, trustedAt }) => ({
          kind,
          path,
          trustedAt,
          status: await statusOf(kind, path, dataHome),
        })),
      );
    },
    async revoke(path) {
      const place = await placeOf(path).catch(() => path);
      const own = [place, join(place, configFileName), projectDataDir(place)];
      return usingTrustStore(async () => {
        const records = (await store.list()).filter((record) => own.includes(record.path));
        for (const record of records) await store.remove(record);
        return records.map((record) => ({ kind: record.kind, path: record.path }));
      });
    },
  };
}

function nameOf({ configuration, dataDir }: Omit<TrustReview, 'review'>): string {
  const shown = [configuration?.path, configuration?.sha256, dataDir];
  return hash('sha256', JSON.stringify(shown)).slice(0, 16);
}

/**
 * Trusts a data directory with the keys that were shown. If a command was killed while it changed the keys, its change is undone
 * first.
 */
async function trustWithKeys(
  store: TrustStore,
  { path: dataDir, keys: shown }: NonNullable<TrustReview['dataDir']>,
): Promise<void> {
  if (!isDeepStrictEqual(await keyDigests(dataDir), shown))
    throw new Refusal(
      'REVIEW_STALE',
      `the keys in ${dataDir} have changed since they were shown, so nothing was trusted; read and answer again`,
    );
  try {
    keysFileSource(dataFiles({ dataDir }).keys).read();
  } catch {
    // Commands that need the keys report it.
  }
  const isUndone = 'keys.db-journal' in shown || 'keys.db-wal' in shown;
  await trustDataDir(store, dataDir, Date.now(), isUndone ? undefined : shown);
}

/** The folder, or the folder of a file. */
async function realFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'it does not exist' : cause.message;
      throw new UsageError(`cannot read ${path}: ${why}`, { cause });
    },
  );
  if (!isFolder && basename(path) !== configFileName && basename(path) !== '.ambit')
    throw new UsageError(
      `${path} needs no trust, because Ambit finds only files named ${configFileName}. To use it, name it with --config`,
    );
  return realpath(isFolder && basename(path) !== '.ambit' ? path : dirname(path));
}

/** A found configuration, trusted or not. */
interface FoundConfig {
  path: string;
  bytes: Uint8Array;
  content: ConfigFile;
}

async function readConfig(
  path: string,
  { folder, home }: { folder: string; home: string },
): Promise<FoundConfig> {
  const bytes = await readFound(path).catch((error: Error) => {
    throw new ConfigError([`${path}: cannot be read: ${error.message}`], { cause: error });
  });
  const { layer, issues } = parseConfigFile(bytes, path, settingsSchema(folder, home));
  if (issues.length > 0) throw new ConfigError(issues);
  return { path, bytes, content: contentOf(layer) };
}

async function configurationOf(
  { path, bytes, content }: FoundConfig,
  dataHome: string | undefined,
): Promise<NonNullable<TrustReview['configuration']>> {
  const untrusted = (await whyConfigUntrusted(dataHome, path, bytes)) ?? null;
  return { path, sha256: contentDigest(bytes), untrusted, allows: allowedBy(content) };
}

const reviewedFiles = ['key', 'keys.db', 'audit.db', 'audit-key', 'store.db'];

async function dataDirOf(
  path: string | undefined,
  dataHome: string | undefined,
): Promise<TrustReview['dataDir']> {
  if (path === undefined || !existsSync(path)) return null;
  const untrusted = (await whyUntrusted(path, dataHome)) ?? null;
  return {
    path,
    untrusted,
    exposed: await whyExposed(path),
    holds: reviewedFiles.filter((name) => existsSync(join(path, name))),
    keys: await keyDigests(path),
  };
}

/** Says how other users can change a folder; `null`: they cannot. */
async function whyExposed(folder: string): Promise<string | null> {
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.())
    return `it belongs to another user (uid ${uid}), who can change its keys, log and state`;
  return (mode & 0o022) === 0
    ? null
    : 'other users can change its keys, log and state, because they can write to it';
}

function noProject(cwd: string, places: UserPlaces): UsageError {
  const used = [userConfigFile(places), userDataDir(places)].filter((path) => path !== undefined);
  const own =
    used.length === 0 ? '' : `. There Ambit uses your own ${used.join(' and ')}, which need no trust`;
  return new UsageError(`nothing to trust: no project was found in ${cwd} or above${own}`);
}

async function statusOf(
  kind: ListedTrust['kind'],
  path: string,
  dataHome: string | undefined,
): Promise<ListedTrust['status']> {
  if (!existsSync(path)) return 'gone';
  const why =
    kind === 'configuration'
      ? await readFound(path).then(
          (bytes) => whyConfigUntrusted(dataHome, path, bytes),
          () => 'it cannot be read',
        )
      : await whyUntrusted(path, dataHome);
  return why === undefined ? 'trusted' : 'changed';
}
