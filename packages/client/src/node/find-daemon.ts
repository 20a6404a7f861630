import { resolve } from 'node:path';
import { AmbitError } from '../failure/ambit-error.ts';
import { type AnnouncedDaemon, announcedDaemon, keyFileOf } from './announced-daemon.ts';
import { readKey } from './key-file.ts';
import { processStart } from './process-start.ts';
import { whyDataDirUntrusted } from './trust/data-dir-trust.ts';
import { TrustStoreError, trustStore } from './trust/trust-store.ts';
import { userDataHome } from './trust/user-data-home.ts';

/** The addresses at which to look for a daemon. Absent values are discovered. */
export interface FindDaemonOptions {
  /** Default: `AMBIT_URL`, or the address that the daemon of the data directory announced. */
  url?: string | undefined;
  /** Default: the content of `keyFile`, `AMBIT_KEY`, or the key in the data directory. */
  key?: string | undefined;
  /** Default: `AMBIT_KEY_FILE`. */
  keyFile?: string | undefined;
  /**
   * Default: `AMBIT_DATA_DIR`, or `.ambit` in the working directory if this user's own Ambit made
   * it or the user trusts it.
   */
  dataDir?: string | undefined;
  /** Default: the environment of the process. */
  environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The arguments for `ambitClient`. */
export interface DaemonAccess {
  url: string;
  key: string;
}

/**
 * Finds the daemon of this machine and a key for it. The key in a data directory is only used for
 * that directory's own daemon, so any other `url` needs a key. Rejects with an `AmbitError` that
 * names what is missing, or with a `KeyFileError`.
 */
export async function findDaemon({
  environment = process.env,
  url = environment['AMBIT_URL'] || undefined,
  key,
  keyFile = environment['AMBIT_KEY_FILE'] || undefined,
  dataDir: named = environment['AMBIT_DATA_DIR'] || undefined,
}: FindDaemonOptions = {}): Promise<DaemonAccess> {
  const dataDir = named ?? '.ambit';
  const untrusted = named === undefined ? await whyUntrusted(dataDir, environment) : undefined;
  const announced = untrusted === undefined ? await livingDaemon(dataDir) : undefined;
  const where = url ?? announced?.url;
  if (where === undefined) {
    throw new AmbitError(
      'UNREACHABLE',
      untrusted === undefined
        ? `no daemon is running for the data directory ${dataDir}: start one with "ambit serve" there, or set url (AMBIT_URL)`
        : `the data directory ${resolve(dataDir)} is not trusted: ${untrusted}. A person has to review and trust it. Or name it: dataDir (AMBIT_DATA_DIR)`,
    );
  }
  if (key !== undefined) return { url: where, key };
  if (keyFile !== undefined) return { url: where, key: await readKey({ file: keyFile }) };
  const environmentKey = environment['AMBIT_KEY'];
  if (environmentKey) return { url: where, key: environmentKey };
  if (where === announced?.url) return { url: where, key: await readKey({ file: keyFileOf(dataDir) }) };
  throw new AmbitError(
    'UNREACHABLE',
    `no key for ${where}: set key (AMBIT_KEY) or keyFile (AMBIT_KEY_FILE); the key in ${dataDir} is only for that directory's daemon`,
  );
}

/** A folder from another user could hold that user's daemon address and key. */
async function whyUntrusted(
  dataDir: string,
  environment: NonNullable<FindDaemonOptions['environment']>,
): Promise<string | undefined> {
  try {
    return await whyDataDirUntrusted(trustStore(userDataHome(environment)), dataDir);
  } catch (error) {
    if (error instanceof TrustStoreError) return error.message;
    throw error;
  }
}

/**
 * After a daemon was killed, another user's process may have its id and its port. It must not get
 * the key.
 */
async function livingDaemon(dataDir: string): Promise<AnnouncedDaemon | undefined> {
  const announced = await announcedDaemon(dataDir);
  if (announced === null || !isOurs(announced.pid)) return undefined;
  const { pid, started } = announced;
  return started === undefined || started === (await processStart(pid)) ? announced : undefined;
}

/**
 * Whether such a process runs and this user may signal it. Another user's process is not the
 * daemon.
 */
function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
