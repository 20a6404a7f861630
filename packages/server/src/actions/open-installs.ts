import type { Environment } from '@ambit/runtime';
import type { OpenInstalls } from '../cli/ports/actions.ts';
import { CliError } from '../cli/ports/cli-error.ts';
import { daemonInstalls } from '../cli/remote/daemon-installs.ts';
import type { Config } from '../config/config.ts';
import { InstallRefusal } from '../installs/install-refusal.ts';
import type { Installs } from '../installs/installs.ts';
import { daemonAccess } from '../runner/daemon-access.ts';
import { openInstaller } from '../runner/open-in-process.ts';

/** Opens the installed skills of the daemon that runs, or of the data directory. See `Actions.openInstalls`. */
export async function openInstalls(config: Config, environment: Environment): Promise<OpenInstalls> {
  const access = await daemonAccess(config, environment);
  if (access === 'starting')
    throw new CliError(
      'DAEMON_UNREACHABLE',
      'the data directory is in use by another command or by a daemon that does not listen yet; try again in a moment',
    );
  // The daemon records the name of the key.
  if (access !== undefined)
    return { installs: daemonInstalls(access), actor: 'daemon', close: async () => undefined };
  const { installs, actor, close } = await openInstaller(config, environment);
  return { installs: withCliErrors(installs), actor, close };
}

/** Reports refusals as errors of a command, with the same codes. */
function withCliErrors(installs: Installs): Installs {
  const translated = Object.entries(installs).map(([name, method]) => [
    name,
    (...given: unknown[]) =>
      (method as (...given: unknown[]) => Promise<unknown>)(...given).catch((error: unknown) => {
        if (!(error instanceof InstallRefusal)) throw error;
        throw new CliError(error.code, error.message, { cause: error });
      }),
  ]);
  return Object.fromEntries(translated) as Installs;
}
