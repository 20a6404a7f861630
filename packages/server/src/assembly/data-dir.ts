import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KeyFileError, keyFileOf, readKey, trustDataDir, trustNewKeys, trustStore } from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import { type OpenedKey, openKey } from '../auth/open-key.ts';
import { CliError } from '../cli/cli-error.ts';
import type { Config } from '../config/config.ts';
import { refuseForeignDataDir, userDataDir } from '../trust/found-data-dir.ts';
import { skillFolderAround } from '../trust/skill-folder.ts';

type DataDir = Pick<Config, 'dataDir' | 'dataDirTrust'>;

/** What lies in the data directory. */
export function dataFiles({ dataDir }: Pick<Config, 'dataDir'>): {
  key: string;
  keys: string;
  audit: string;
  state: string;
  idempotency: string;
  workspaces: string;
} {
  return {
    key: keyFileOf(dataDir),
    keys: join(dataDir, 'keys.json'),
    audit: join(dataDir, 'audit.db'),
    state: join(dataDir, 'state'),
    idempotency: join(dataDir, 'idempotency'),
    workspaces: join(dataDir, 'workspaces'),
  };
}

/**
 * Creates the data directory (mode 700) if there is none, and records that it is this user's own. Rejects with an
 * `UntrustedError` if another one was put there after the configuration was loaded, and with `AUDIT_UNAVAILABLE` if it would be
 * in a skill's folder.
 */
export async function prepareDataDir({ dataDir, dataDirTrust }: DataDir): Promise<void> {
  const { project, dataHome } = dataDirTrust;
  const isPlaced = existsSync(dataDir) || dataDir === userDataDir(dataHome);
  const skill = isPlaced ? undefined : skillFolderAround(dataDir);
  if (skill !== undefined)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the data directory ${dataDir} would be in the skill folder ${skill}, whose files are served; name a folder outside it`,
    );
  const isMade = madeFolder(dataDir);
  if (project === null) return;
  if (!isMade) return refuseForeignDataDir(dataDir, project, dataHome);
  await unlessUnrecorded(trustDataDir(trustStore(dataHome), dataDir, Date.now()));
}

/** Records the keys of a data directory after Ambit has changed them, if the directory is recorded as this user's own. */
export async function recordKeys({ dataDir, dataDirTrust: { project, dataHome } }: DataDir): Promise<void> {
  const recording = trustNewKeys(trustStore(dataHome), dataDir, Date.now());
  // A directory that was named needs no record.
  await (project === null ? recording.catch(() => undefined) : unlessUnrecorded(recording));
}

/** Whether this call created it. If it cannot be created, opening it reports why. */
function madeFolder(dataDir: string): boolean {
  try {
    return mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined;
  } catch {
    return false;
  }
}

/** Without a record this command still works, but the next one needs `ambit trust`. */
async function unlessUnrecorded(recording: Promise<void>): Promise<void> {
  await recording.catch((error: Error) => {
    process.stderr.write(
      `ambit: the data directory is not recorded as yours, so the next command will ask for "ambit trust": ${error.message}\n`,
    );
  });
}

/** The key of a data directory, made where there is none. Throws `KEY_UNUSABLE`, in the words of what is wrong with its file. */
export async function usableKey(config: DataDir): Promise<OpenedKey> {
  const opened = await saidOfKeys(() => openKey({ file: dataFiles(config).key }));
  if (opened.created) await recordKeys(config);
  return opened;
}

/** The same for who speaks with the daemon that runs, and makes none. */
export async function daemonKey(file: string): Promise<string> {
  return saidOfKeys(() => readKey({ file }));
}

/** What `use` of the files of keys gives. What is wrong with one of them is thrown as `KEY_UNUSABLE`, in the same words. */
export async function saidOfKeys<T>(use: () => T): Promise<Awaited<T>> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new CliError('KEY_UNUSABLE', error.message, { cause: error });
  }
}
