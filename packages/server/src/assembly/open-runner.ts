import type { AmbitClientOptions } from '@ambit/client';
import { executeSkill, executeWithReceipt } from '@ambit/core';
import { v7 as uuidv7 } from 'uuid';
import { findDaemon } from '../audit/lock-data-dir.ts';
import type { Runner } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import { daemonClient } from '../cli/daemon-client.ts';
import { daemonWorkspaces } from '../cli/daemon-workspaces.ts';
import type { WorkspaceClient } from '../cli/workspace-client.ts';
import type { Config } from '../config/config.ts';
import { daemonFetch } from './daemon-fetch.ts';
import { daemonKey, dataFiles } from './data-dir.ts';
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

/** The daemon that has the data directory, to run calls in. */
export async function connectDaemon(config: Config): Promise<Runner | undefined> {
  const daemon = await daemonOf(config);
  return daemon && daemonClient(daemon);
}

/** The workspaces of the daemon that has the data directory. Throws `DAEMON_UNREACHABLE` when nobody has it. */
export async function connectWorkspaces(config: Config): Promise<WorkspaceClient> {
  const daemon = await daemonOf(config);
  if (daemon !== undefined) return daemonWorkspaces(daemon);
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'workspaces are kept by a daemon, and none runs; start it: ambit serve',
  );
}

async function daemonOf(config: Config): Promise<AmbitClientOptions | undefined> {
  const daemon = await findDaemon(config.dataDir);
  if (!daemon.running) return undefined;
  if (daemon.address === null) {
    throw new CliError(
      'DAEMON_UNREACHABLE',
      'a daemon or another command holds the data directory and does not listen (yet); try again in a moment',
    );
  }
  const key = await daemonKey(dataFiles(config).key);
  return { url: daemon.address.url, key, fetch: await daemonFetch(config) };
}
