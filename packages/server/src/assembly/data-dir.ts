import { join } from 'node:path';
import { KeyFileError, keyFileOf, readKey } from '@ambit/client/node';
import { type OpenedKey, openKey } from '../auth/open-key.ts';
import { CliError } from '../cli/cli-error.ts';
import type { Config } from '../config/config.ts';

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

/** The key of a data directory. Throws `KEY_UNUSABLE`, in the words of what is wrong with its file. */
export async function usableKey(file: string): Promise<OpenedKey> {
  return saidOfKeys(() => openKey({ file }));
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
