import { parseArgs } from 'node:util';
import type { Environment } from '@ambit/runtime';
import type { Config, ConfigFlags } from '../config/config.ts';

/** Distinguishes a daemon on demand from `ambit serve`. Only commands start one, so it is not in the help. */
const flag = '--on-demand';

/** The exit code of a daemon on demand whose data directory another process took first (`EX_TEMPFAIL`). */
export const takenExitCode = 75;

/** The arguments of a daemon on demand. */
export interface OnDemandArguments {
  /** The folder in which it looks for its configuration; `undefined`: outside projects. */
  folder: string | undefined;
  flags: Pick<ConfigFlags, 'config' | 'dataDir'>;
}

/**
 * The arguments with which a daemon finds the configuration of a command, from any folder. A file or data directory is named
 * only if the caller named it: what was found stays subject to trust, also when the daemon reloads it. The user's own daemon is
 * the same for callers in all folders.
 */
export function onDemandArguments(
  { file, scope, dataDir }: Pick<Config, 'file' | 'scope' | 'dataDir'>,
  { flags, environment }: { flags: ConfigFlags; environment: Environment },
): string[] {
  const words = ['serve', flag];
  if (scope.kind === 'project') words.push('--folder', scope.folder);
  if (scope.kind === 'named' && file !== undefined) words.push('--config', file);
  if (flags.dataDir ?? environment['AMBIT_DATA_DIR']) words.push('--data-dir', dataDir);
  return words;
}

/** Reads those arguments; `undefined` for any other command line. */
export function readOnDemandArguments(argv: readonly string[]): OnDemandArguments | undefined {
  const [command, first, ...rest] = argv;
  if (command !== 'serve' || first !== flag) return undefined;
  const options = {
    folder: { type: 'string' },
    config: { type: 'string' },
    'data-dir': { type: 'string' },
  } as const;
  const { values } = parseArgs({ args: rest, options });
  const { folder, config, 'data-dir': dataDir } = values;
  return { folder, flags: { config, dataDir } };
}
