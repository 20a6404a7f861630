import { executeSkill, executeWithReceipt } from '@ambit/core/execute';
import { ownWorkspaces } from '@ambit/core/workspace';
import type { Environment } from '@ambit/runtime';
import { isTaken } from '../audit/file/lock-data-dir.ts';
import type { ConsoleClient, Runner, WorkspaceClient } from '../cli/ports/actions.ts';
import { daemonConsole } from '../cli/remote/daemon-console.ts';
import { daemonRunner } from '../cli/remote/daemon-runner.ts';
import { daemonWorkspaces } from '../cli/remote/daemon-workspaces.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { daemonStarter, type OnDemandStart } from '../on-demand/start-on-demand.ts';
import { newId } from '../wire/new-id.ts';
import { type DaemonAccess, daemonAccess } from './daemon-access.ts';
import { firstKeyWorkspaces } from './first-key-workspaces.ts';
import { openInProcess } from './open-in-process.ts';
import { programWorkspaces } from './program-workspaces.ts';

/**
 * Runs calls in this process, with exclusive use of the data directory. If another process uses it: in the daemon, which is
 * started on demand; without `start`, it rejects. Rejects if the log is unusable.
 */
export async function openRunner(
  config: Config,
  environment: Environment,
  start?: OnDemandStart,
): Promise<Runner> {
  try {
    return await runnerInProcess(config, environment);
  } catch (error) {
    if (start === undefined || !isTaken(error)) throw error;
    await daemonStarter(start)();
    const daemon = await connectDaemon(config, environment);
    if (daemon === undefined) throw error;
    return daemon;
  }
}

async function runnerInProcess(config: Config, environment: Environment): Promise<Runner> {
  const { deps, store, receipt: receiptOf, actor, close } = await openInProcess(config, environment);
  const ended = new AbortController();
  let opened: ReturnType<typeof firstKeyWorkspaces> | undefined;
  const workspaces = () => {
    opened ??= firstKeyWorkspaces(config, environment, { store, audit: deps.audit, ended: ended.signal });
    return opened;
  };
  return {
    execute({ skillId, input, narrowing, receipt, workspace, workspaceOptional }, signal, onEvent) {
      const request = {
        executionId: newId(),
        skillId,
        via: 'cli' as const,
        actor,
        input,
        narrowing,
        workspace,
        workspaceOptional,
        onEvent,
      };
      const used = workspace === undefined ? deps : { ...deps, workspaces: workspaces() };
      return receipt
        ? executeWithReceipt(used, receiptOf, request, signal)
        : executeSkill(used, request, signal);
    },
    workspaces: (signal) =>
      programWorkspaces(ownWorkspaces(deps, workspaces(), actor), config.dataDir, signal),
    async close() {
      ended.abort(new Error('the command has ended'));
      await close();
    },
  };
}

/**
 * Runs calls in the named daemon, or in the one that uses the data directory; `undefined` if there is none. If that is still
 * starting, or another command uses the directory, waits for a daemon; without `start`, rejects.
 */
export async function connectDaemon(
  config: Config,
  environment: Environment,
  start?: OnDemandStart,
): Promise<Runner | undefined> {
  if (start !== undefined && (await daemonAccess(config, environment)) === 'starting')
    await daemonStarter(start)();
  const daemon = await listening(config, environment);
  return daemon && daemonRunner(daemon);
}

/** The workspaces of that daemon. Throws `DAEMON_UNREACHABLE` if there is none. `signal` aborts its requests. */
export async function connectWorkspaces(
  config: Config,
  environment: Environment,
  signal?: AbortSignal,
): Promise<WorkspaceClient> {
  return daemonWorkspaces({ ...(await needed(config, environment, 'workspaces need')), signal });
}

/** The web console of that daemon, likewise. */
export async function connectConsole(
  config: Config,
  environment: Environment,
  signal?: AbortSignal,
): Promise<ConsoleClient> {
  return daemonConsole({ ...(await needed(config, environment, 'the web console needs')), signal });
}

async function needed(config: Config, environment: Environment, by: string): Promise<DaemonAccess> {
  const daemon = await listening(config, environment);
  if (daemon !== undefined) return daemon;
  throw new Refusal(
    'DAEMON_UNREACHABLE',
    `no daemon is running, and ${by} one. To start it, run: ambit serve`,
  );
}

async function listening(config: Config, environment: Environment): Promise<DaemonAccess | undefined> {
  const access = await daemonAccess(config, environment);
  if (access !== 'starting') return access;
  throw new Refusal(
    'DAEMON_UNREACHABLE',
    'the data directory is in use by another command or by a daemon that does not listen yet; try again in a moment',
  );
}
