import { lstat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isUnusedDataDir,
  projectDataDir,
  TrustStoreError,
  trustStore,
  userDataDir,
  whyDataDirUntrusted,
} from '@ambit/client/node';
import { UntrustedError } from './untrusted-error.ts';

/** The default data directory of a project or, if there is none, of the user; `undefined`: the user has no home folder. */
export function defaultDataDir(project: string | null, dataHome: string | undefined): string | undefined {
  return project === null ? userDataDir({ dataHome }) : projectDataDir(project);
}

/**
 * Rejects with an `UntrustedError` for a data directory that exists and is not this user's own. Resolves to whether it has to
 * be recorded: a command that was killed has created it.
 */
export async function refuseForeignDataDir(
  dataDir: string,
  project: string,
  dataHome: string | undefined,
): Promise<boolean> {
  for (const until = Date.now() + patienceMs; ; ) {
    const reason = await whyUntrusted(dataDir, dataHome);
    if (reason === undefined) return false;
    // Another command of the user may have just created it, or changed its keys, without recording that yet.
    if (Date.now() > until || !(await isFresh(dataDir))) {
      if (await isUnusedDataDir(trustStore(dataHome), dataDir).catch(() => false)) return true;
      throw new UntrustedError('data directory', dataDir, { reason, folder: project });
    }
    await delay(50);
  }
}

const freshMs = 1500;
/** Commands that change keys one after the other keep the folder fresh. */
const patienceMs = 10_000;

async function isFresh(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  // The file system's clock may be ahead by a fraction of a millisecond.
  return Math.abs(Date.now() - (stats?.ctimeMs ?? 0)) < freshMs;
}

/** Returns why the data directory is not used; `undefined` if it is the user's own or does not exist. */
export async function whyUntrusted(
  dataDir: string,
  dataHome: string | undefined,
): Promise<string | undefined> {
  try {
    return await whyDataDirUntrusted(trustStore(dataHome), dataDir);
  } catch (error) {
    if (error instanceof TrustStoreError) return error.message;
    throw error;
  }
}
