import type { Config } from '../config/config.ts';
import { CliError } from '../errors/cli-error.ts';
import { InstallRefusal } from '../installs/install-refusal.ts';
import { type StagedSource, stageSource } from '../installs/stage-source.ts';

/** Reads the skills of a source into temporary folders. See `Actions.readSource`. */
export async function readSource(
  config: Pick<Config, 'installs' | 'deny'>,
  typed: string,
  signal: AbortSignal,
): Promise<StagedSource> {
  return stageSource(config, { typed }, signal).catch((error: unknown) => {
    if (!(error instanceof InstallRefusal)) throw error;
    throw new CliError(error.code, error.message, { cause: error });
  });
}
