import { join } from 'node:path';
import { TrustStoreError, trustStore, whyDataDirUntrusted } from '@ambit/client/node';
import { UntrustedError } from '../config/untrusted-error.ts';
import { skillFolderAround } from './skill-folder.ts';

/**
 * The data directory of a project where nobody named one: `.ambit` in its folder; inside a skill's folder, whose files are
 * served, a place of the user's. `undefined` when the user has none.
 */
export function usualDataDir(project: string, dataHome: string | undefined): string | undefined {
  if (skillFolderAround(project) === undefined) return join(project, '.ambit');
  return dataHome === undefined ? undefined : join(dataHome, 'ambit', 'data');
}

/** Rejects with an `UntrustedError` for a data directory that exists and is not this user's own. */
export async function refuseForeignDataDir(
  dataDir: string,
  project: string,
  dataHome: string | undefined,
): Promise<void> {
  const reason = await whyUntrusted(dataDir, dataHome);
  if (reason !== undefined) throw new UntrustedError('data directory', dataDir, project, reason);
}

/** Why it is not used; `undefined` when it is the user's own, or does not exist. */
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
