import type { ConfigFlags } from '@ambit/server/config';
import { shellWord } from '@ambit/server/trust';

/** The flags that a next step repeats. */
export type RepeatedFlags = Pick<ConfigFlags, 'config' | 'dataDir' | 'url' | 'keyFile'>;

/**
 * A command to run next: with the flags of this one, so that it finds the same configuration, data directory and daemon.
 * `isLocal`: it works on local files and refuses `--url`.
 */
export function nextCommand(
  command: string,
  { config, dataDir, url, keyFile }: RepeatedFlags,
  { isLocal = false } = {},
): string {
  const local = { '--config': config, '--data-dir': dataDir };
  const flags = isLocal ? local : { ...local, '--url': url, '--key-file': keyFile };
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, shellWord(value)],
  );
  return [command, ...given].join(' ');
}
