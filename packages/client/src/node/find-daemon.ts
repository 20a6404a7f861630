import { resolve } from 'node:path';
import { AmbitError } from '../failure/ambit-error.ts';
import { type AnnouncedDaemon, announcedDaemon, isAnnouncerRunning, keyFileOf } from './announced-daemon.ts';
import { findProject, projectDataDir, userDataDir } from './find-project.ts';
import { readKey } from './key-file.ts';
import { whyDataDirUntrusted } from './trust/data-dir-trust.ts';
import { TrustStoreError, trustStore } from './trust/trust-store.ts';
import { userPlaces } from './user-places.ts';

/** The addresses at which to look for a daemon. Absent values are discovered. */
export interface FindDaemonOptions {
  /** Default: `AMBIT_URL`, or the address that the daemon of the data directory announced. */
  url?: string | undefined;
  /** Default: the content of `keyFile`, `AMBIT_KEY`, or the key in the data directory. */
  key?: string | undefined;
  /** Default: `AMBIT_KEY_FILE`. */
  keyFile?: string | undefined;
  /**
   * Default: `AMBIT_DATA_DIR`, or `.ambit` of the project around the working directory, or the user's
   * own data directory if there is no project. What is not named must be made by this user's own
   * Ambit, or trusted.
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
  const found = named === undefined ? await foundDataDir(environment) : namedDataDir(named);
  const untrusted = named === undefined && found ? await whyUntrusted(found.dataDir, environment) : undefined;
  const announced = untrusted === undefined && found ? await livingDaemon(found.dataDir) : undefined;
  const where = url ?? announced?.url;
  if (where === undefined) throw new AmbitError('UNREACHABLE', whyNoDaemon(found, untrusted));
  if (key !== undefined) return { url: where, key };
  if (keyFile !== undefined) return { url: where, key: await readKey({ file: keyFile }) };
  const environmentKey = environment['AMBIT_KEY'];
  if (environmentKey) return { url: where, key: environmentKey };
  if (found !== undefined && where === announced?.url)
    return { url: where, key: await readKey({ file: keyFileOf(found.dataDir) }) };
  throw new AmbitError(
    'UNREACHABLE',
    `no key for ${where}: set key (AMBIT_KEY) or keyFile (AMBIT_KEY_FILE); the key in a data directory is only for that directory's daemon`,
  );
}

interface DataDir {
  dataDir: string;
  /** The command that starts its daemon. */
  start: string;
}

function namedDataDir(dataDir: string): DataDir {
  return { dataDir, start: `"ambit serve --data-dir ${resolve(dataDir)}"` };
}

/** The data directory of the project around the working directory, or the user's own; `undefined`: there is none. */
async function foundDataDir(
  environment: NonNullable<FindDaemonOptions['environment']>,
): Promise<DataDir | undefined> {
  const places = userPlaces(environment);
  const project = await findProject({ cwd: process.cwd(), ...places });
  if (project !== undefined)
    return { dataDir: projectDataDir(project.folder), start: `"ambit serve" in ${project.folder}` };
  const dataDir = userDataDir(places);
  return dataDir === undefined ? undefined : { dataDir, start: '"ambit serve"' };
}

function whyNoDaemon(found: DataDir | undefined, untrusted: string | undefined): string {
  if (found === undefined)
    return 'this user has no home folder with a data directory: name one with dataDir (AMBIT_DATA_DIR), or set url (AMBIT_URL)';
  if (untrusted !== undefined)
    return `the data directory ${found.dataDir} is not trusted: ${untrusted}. A person has to review and trust it. Or name it: dataDir (AMBIT_DATA_DIR)`;
  return `no daemon is running for the data directory ${found.dataDir}: start one with ${found.start}, or set url (AMBIT_URL)`;
}

/** A folder from another user could hold that user's daemon address and key. */
async function whyUntrusted(
  dataDir: string,
  environment: NonNullable<FindDaemonOptions['environment']>,
): Promise<string | undefined> {
  try {
    return await whyDataDirUntrusted(trustStore(userPlaces(environment).dataHome), dataDir);
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
  return (await isAnnouncerRunning(announced)) ? announced : undefined;
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
