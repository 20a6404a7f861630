import { readFile } from 'node:fs/promises';
import type { AnnouncedDaemon } from '@ambit/client/node';
import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { configDigest } from '../config/config-digest.ts';
import { readReloadReport } from '../running-daemon/reload-report.ts';
import { configuredVariables } from './daemon-environment.ts';

/** Whether the configuration in force in a daemon has other values. After a reload, its report has those in force. */
export async function hasOtherValues(config: Config, daemon: AnnouncedDaemon): Promise<boolean> {
  const report = await readReloadReport(config.dataDir);
  return (report ?? daemon).configDigest !== configDigest(config);
}

/**
 * The names of variables of the configuration (secrets, and variables granted to skills) whose values differ between a command and
 * the start of a daemon. Empty if the daemon's cannot be read.
 */
export async function otherVariables(
  config: Pick<Config, 'secrets' | 'grants'>,
  environment: Environment,
  { pid }: AnnouncedDaemon,
): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const lines = new Set(text.split('\0'));
  const isSame = (name: string): boolean => {
    const value = environment[name];
    return value === undefined
      ? ![...lines].some((line) => line.startsWith(`${name}=`))
      : lines.has(`${name}=${value}`);
  };
  return configuredVariables(config).filter((name) => !isSame(name));
}
