import { executeSkill } from '@ambit/core/execute';
import { executeWithReceipt } from '@ambit/core/internal';
import type { Environment } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import type { Runner } from '../../cli/actions/actions.ts';
import type { WorkspaceClient } from '../../cli/actions/workspace-client.ts';
import { CliError } from '../../cli/cli-error.ts';
import { daemonRunner } from '../../cli/daemon/daemon-runner.ts';
import { daemonWorkspaces } from '../../cli/daemon/daemon-workspaces.ts';
import type { Config } from '../../config/config.ts';
import { type DaemonAccess, daemonAccess } from './daemon-access.ts';
import { openInProcess } from './open-in-process.ts';

/**
 * What runs calls in this process, with the data directory to itself. Rejects when a daemon has it, or the log cannot
 * be used.
 */
export async function openRunner(config: Config, environment: Environment): Promise<Runner> {
  const { deps, receipt: receiptOf, actor, close } = await openInProcess(config, environment);
  return {
    execute({ skillId, input, narrowing, receipt }, signal, onEvent) {
      const request = {
        executionId: uuidv7(),
        skillId,
        via: 'cli' as const,
        actor,
        input,
        narrowing,
        onEvent,
      };
      return receipt
        ? executeWithReceipt(deps, receiptOf, request, signal)
        : executeSkill(deps, request, signal);
    },
    close,
  };
}

/** The daemon that was named, or that has the data directory, to run calls in; `undefined` when there is none. */
export async function connectDaemon(config: Config, environment: Environment): Promise<Runner | undefined> {
  const daemon = await listening(config, environment);
  return daemon && daemonRunner(daemon);
}

/**
 * The workspaces of that daemon. Throws `DAEMON_UNREACHABLE` when there is none. `signal` ends what is asked of them.
 */
export async function connectWorkspaces(
  config: Config,
  environment: Environment,
  signal?: AbortSignal,
): Promise<WorkspaceClient> {
  const daemon = await listening(config, environment);
  if (daemon !== undefined) return daemonWorkspaces({ ...daemon, signal });
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'workspaces are kept by a daemon, and none runs; start it: ambit serve',
  );
}

async function listening(config: Config, environment: Environment): Promise<DaemonAccess | undefined> {
  const access = await daemonAccess(config, environment);
  if (access !== 'starting') return access;
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'a daemon or another command holds the data directory and does not listen (yet); try again in a moment',
  );
}
