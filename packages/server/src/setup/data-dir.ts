import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  KeyFileError,
  keyFileOf,
  readKey,
  trustDataDir,
  trustNewKeys,
  trustStore,
  userDataDir,
} from '@ambit/client/node';
import { SkillError } from '@ambit/core';
import { createDataDir, rewriteGitignore } from '../audit/file/create-data-dir.ts';
import { type OpenedKey, openKey } from '../auth/open-key.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { decisionText } from '../trust/decision-text.ts';
import { refuseForeignDataDir } from '../trust/found-data-dir.ts';
import { skillFolderAround } from '../trust/skill-folder.ts';

type DataDir = Pick<Config, 'dataDir' | 'dataDirTrust'>;

/** The paths in the data directory. */
export function dataFiles({ dataDir }: Pick<Config, 'dataDir'>): {
  key: string;
  keys: string;
  audit: string;
  store: string;
  skills: string;
} {
  return {
    key: keyFileOf(dataDir),
    keys: join(dataDir, 'keys.db'),
    audit: join(dataDir, 'audit.db'),
    store: join(dataDir, 'store.db'),
    skills: join(dataDir, 'skills.cache'),
  };
}

/**
 * Creates the data directory (mode 700) if it does not exist, and records it as the user's own. Rejects with an
 * `UntrustedError` if another one was placed there after the configuration was loaded, and with `AUDIT_UNAVAILABLE` if it
 * would be inside a skill folder.
 */
export async function prepareDataDir({ dataDir, dataDirTrust }: DataDir): Promise<void> {
  const { project, dataHome } = dataDirTrust;
  const isPlaced = existsSync(dataDir) || dataDir === userDataDir({ dataHome });
  const skill = isPlaced ? undefined : skillFolderAround(dataDir);
  if (skill !== undefined)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot create the data directory ${dataDir} in the skill folder ${skill}, whose files are served; name a folder outside it with --data-dir or dataDir`,
    );
  const isNew = createFolder(dataDir);
  if (project === null) return;
  if (!isNew) {
    if (!(await refuseForeignDataDir(dataDir, project, dataHome))) return;
    finishFolder(dataDir);
  }
  await unlessUnrecorded(trustDataDir(trustStore(dataHome), dataDir, Date.now()));
}

/** Records the keys of a data directory after Ambit changed them, if the directory is recorded as the user's own. */
export async function recordKeys({ dataDir, dataDirTrust: { project, dataHome } }: DataDir): Promise<void> {
  const recording = trustNewKeys(trustStore(dataHome), dataDir, Date.now());
  // A directory that the user named needs no record.
  await (project === null ? recording.catch(() => undefined) : unlessUnrecorded(recording));
}

/** Returns whether it created the folder. If that fails, opening the folder reports why. */
function createFolder(dataDir: string): boolean {
  try {
    return createDataDir(dataDir);
  } catch {
    return false;
  }
}

/** Finishes what a killed command began. It is not recorded as the user's before Git ignores what is in it. */
function finishFolder(dataDir: string): void {
  try {
    rewriteGitignore(dataDir);
  } catch (cause) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot write ${join(dataDir, '.gitignore')} (${(cause as Error).message}); remove the data directory, which is still empty`,
      { cause },
    );
  }
}

/** Warns if recording fails: this command still works, but the next one needs `ambit trust`. */
async function unlessUnrecorded(recording: Promise<void>): Promise<void> {
  await recording.catch((error: Error) => {
    process.stderr.write(
      `ambit: cannot record the data directory as yours: ${error.message}. ${decisionText(
        process,
        'Before Ambit uses it, run: ambit trust',
        'Before Ambit uses it, a person decides, in a terminal, whether to trust it.',
      )}\n`,
    );
  });
}

/** The first key of a data directory, created if missing. Throws `KEY_UNUSABLE` if its file cannot be used. */
export async function usableKey(config: DataDir): Promise<OpenedKey> {
  const opened = await withKeyErrors(() => openKey({ file: dataFiles(config).key }));
  if (opened.created) await recordKeys(config);
  return opened;
}

/** Reads a key to call the daemon with. Throws `KEY_UNUSABLE`. */
export async function daemonKey(file: string): Promise<string> {
  return withKeyErrors(() => readKey({ file }));
}

/** Runs `use` and converts errors of key files to `KEY_UNUSABLE`. */
export async function withKeyErrors<T>(use: () => T): Promise<Awaited<T>> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new Refusal('KEY_UNUSABLE', error.message, { cause: error });
  }
}
