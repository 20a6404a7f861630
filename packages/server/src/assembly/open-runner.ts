import { executeSkill, executeWithReceipt } from '@ambit/core';
import { v7 as uuidv7 } from 'uuid';
import type { Runner } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import { daemonClient } from '../cli/daemon-client.ts';
import type { Config } from '../config/config.ts';
import { daemonAccess } from './daemon-access.ts';
import { openInProcess } from './open-in-process.ts';

/**
 * What runs calls in this process, with the data directory to itself. Rejects when a daemon has it, or the log cannot
 * be used.
 */
export async function openRunner(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Runner> {
  const { deps, receipt: receiptOf, actor, close } = await openInProcess(config, environment);
  return {
    execute({ skillId, input, narrowing, receipt }, signal, watch) {
      const request = {
        executionId: uuidv7(),
        skillId,
        door: 'cli' as const,
        actor,
        input,
        narrowing,
        watch,
      };
      return receipt
        ? executeWithReceipt(deps, receiptOf, request, signal)
        : executeSkill(deps, request, signal);
    },
    close,
  };
}

/** The daemon that was named, or that has the data directory, to run calls in; `undefined` when there is none. */
export async function connectDaemon(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Runner | undefined> {
  const access = await daemonAccess(config, environment);
  if (access !== 'starting') return access && daemonClient(access);
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'a daemon or another command holds the data directory and does not listen (yet); try again in a moment',
  );
}
