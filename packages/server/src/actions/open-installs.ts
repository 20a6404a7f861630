import { setTimeout } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import type { Environment } from '@ambit/runtime';
import { programActor } from '../auth/reserved-actors.ts';
import type { OpenInstalls } from '../cli/ports/actions.ts';
import { daemonInstalls } from '../cli/remote/daemon-installs.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { daemonAccess } from '../runner/daemon-access.ts';
import { openInstaller } from '../runner/open-in-process.ts';

/** The time that a command waits for another change of the same data directory, and the interval of its checks. */
const [busyMs, lookMs] = [60_000, 100];

/** Opens the installed skills of the daemon that runs, or of the data directory. See `Actions.openInstalls`. */
export async function openInstalls(config: Config, environment: Environment): Promise<OpenInstalls> {
  const until = Date.now() + busyMs;
  for (;;) {
    const opened = await openUnlessBusy(config, environment);
    if (opened !== undefined) return opened;
    if (Date.now() >= until)
      throw new Refusal(
        'DAEMON_UNREACHABLE',
        'the data directory is in use by another command or by a daemon that does not listen yet; try again in a moment',
      );
    await setTimeout(lookMs);
  }
}

/** `undefined` while another process has the data directory and does not listen. */
async function openUnlessBusy(config: Config, environment: Environment): Promise<OpenInstalls | undefined> {
  const access = await daemonAccess(config, environment);
  if (access === 'starting') return undefined;
  // The daemon records the name of the key.
  if (access !== undefined)
    return { installs: daemonInstalls(access), actor: programActor.daemon, close: async () => undefined };
  try {
    const { installs, actor, close } = await openInstaller(config, environment);
    return { installs, actor, close };
  } catch (error) {
    // Another process was faster.
    if (error instanceof SkillError && error.details['address'] !== undefined) return undefined;
    throw error;
  }
}
