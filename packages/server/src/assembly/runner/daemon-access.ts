import { isKey } from '@ambit/client';
import type { DaemonAccess as FoundDaemon } from '@ambit/client/node';
import type { Environment } from '@ambit/runtime';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import { CliError } from '../../cli/cli-error.ts';
import type { Config } from '../../config/config.ts';
import { daemonKey, dataFiles } from '../data-dir.ts';
import { type DaemonTls, daemonFetch, daemonTls } from './daemon-fetch.ts';

/** How a daemon is called. */
export interface DaemonAccess extends FoundDaemon {
  /** Absent: that of the platform. */
  fetch?: typeof fetch;
  /** Whom others than `fetch` trust to be it; absent: whom the platform does. */
  tls?: DaemonTls | undefined;
}

/**
 * The daemon that a command asks: that at `--url` or `AMBIT_URL`, else the one that has the data directory. `undefined` when
 * none has it, `starting` when what has it does not listen. Rejects with `KEY_UNUSABLE` when there is no key for it. What the
 * client's `findDaemon` is for other programs; this one knows the configuration as well, and the lock.
 */
export async function daemonAccess(
  config: Config,
  environment: Environment,
): Promise<DaemonAccess | 'starting' | undefined> {
  const named = await namedDaemon(config, environment);
  if (named !== undefined) return named;
  const found = await daemonStatus(config.dataDir);
  if (!found.running) return undefined;
  if (found.address === null) return 'starting';
  const key = (await givenKey(config, environment)) ?? (await daemonKey(dataFiles(config).key));
  const [fetch, tls] = [await daemonFetch(config), await daemonTls(config)];
  return { url: found.address.url, key, fetch, tls };
}

/** The daemon at `--url` or `AMBIT_URL`; `undefined` where neither is. Rejects alike. */
export async function namedDaemon(
  config: Pick<Config, 'daemon'>,
  environment: Environment,
): Promise<DaemonAccess | undefined> {
  const url = config.daemon?.url;
  if (url === undefined) return undefined;
  const key = await givenKey(config, environment);
  if (key !== undefined) return { url, key };
  throw new CliError(
    'KEY_UNUSABLE',
    `there is no key for ${url}: put one into a file and name it with --key-file, or into AMBIT_KEY; "ambit key create" makes one where the daemon runs`,
  );
}

async function givenKey(
  { daemon }: Pick<Config, 'daemon'>,
  environment: Environment,
): Promise<string | undefined> {
  if (daemon?.keyFile !== undefined) return daemonKey(daemon.keyFile);
  const key = environment['AMBIT_KEY']?.trim();
  if (!key || isKey(key)) return key || undefined;
  throw new CliError(
    'KEY_UNUSABLE',
    'what is in AMBIT_KEY is no key: it has a blank, a line break or a letter that no key has; take the whole of one line that "ambit key create" printed',
  );
}
