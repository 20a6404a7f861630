import { existsSync } from 'node:fs';
import { type Fetch, isKey } from '@ambit/client';
import type { Environment } from '@ambit/runtime';
import type { Config } from '@ambit/server/config';
import {
  type DaemonTls,
  daemonAddress,
  daemonFetch,
  daemonKey,
  daemonTls,
  dataFiles,
  isSocketOf,
  socketFetch,
} from '@ambit/server/daemon';
import { Refusal } from '@ambit/server/errors';

/** The address and credentials of a daemon. */
export interface DaemonAccess {
  url: string;
  /** Absent: the private socket tells who calls. */
  key?: string | undefined;
  /** The path of the daemon's private socket; absent: it is called at its URL. */
  socketPath?: string | undefined;
  /** Absent: the platform's `fetch`. */
  fetch?: Fetch;
  /** TLS options for clients other than `fetch`; absent: the platform's. */
  tls?: DaemonTls | undefined;
}

/**
 * The daemon that runs: the one at `--url` or `AMBIT_URL`, or else the one that uses the data directory; `undefined` if there is
 * none that listens. Rejects with `KEY_UNUSABLE` if there is no key for it. Unlike the client's `findDaemon`, it also uses the
 * configuration and the lock.
 */
export async function runningDaemon(
  config: Config,
  environment: Environment,
): Promise<DaemonAccess | undefined> {
  const named = await namedDaemon(config, environment);
  if (named !== undefined) return named;
  const found = await daemonAddress(config.dataDir);
  if (found === undefined) return undefined;
  const { url, socket } = found;
  const given = await givenKey(config, environment);
  if (socket !== undefined && isSocketOf(config.dataDir, socket))
    return { url: url ?? localUrl, key: given, fetch: socketFetch(socket), socketPath: socket };
  // A socket that other users could have made is not used.
  if (url === undefined) return undefined;
  const key = given ?? (await daemonKey(dataFiles(config).key));
  const [fetch, tls] = [await daemonFetch(config), await daemonTls(config)];
  return { url, key, fetch, tls };
}

/** Stands for a daemon without an address: its socket decides where requests go. */
const localUrl = 'http://localhost';

/** The daemon at `--url` or `AMBIT_URL`, if either is set. Rejects like `runningDaemon`. */
export async function namedDaemon(
  config: Pick<Config, 'daemon' | 'dataDir'>,
  environment: Environment,
): Promise<DaemonAccess | undefined> {
  const url = config.daemon?.url;
  if (url === undefined) return undefined;
  const key = await givenKey(config, environment);
  if (key !== undefined) return { url, key };
  const { key: ownKey } = dataFiles(config);
  const own = existsSync(ownKey)
    ? `. For the daemon of this data directory, omit --url or AMBIT_URL, or pass --key-file ${ownKey}`
    : '';
  throw new Refusal(
    'KEY_UNUSABLE',
    `no key for ${url}: name a file with the key with --key-file, or set AMBIT_KEY. The operator of the daemon creates keys${own}`,
    { decision: "To create a key, run on the daemon's machine: ambit key create" },
  );
}

async function givenKey(
  { daemon }: Pick<Config, 'daemon'>,
  environment: Environment,
): Promise<string | undefined> {
  if (daemon?.keyFile !== undefined) return daemonKey(daemon.keyFile);
  const key = environment['AMBIT_KEY']?.trim();
  if (!key || isKey(key)) return key || undefined;
  throw new Refusal(
    'KEY_UNUSABLE',
    'AMBIT_KEY does not contain a valid key: it has a space, a line break or another invalid character; copy exactly the line that was printed when the key was created',
  );
}
