import type { AuditLog } from '@ambit/core/audit';
import type { Workspaces } from '@ambit/core/workspace';
import type { Environment } from '@ambit/runtime';
import { programActor } from '../auth/reserved-actors.ts';
import type { Config } from '../config/config.ts';
import { storedWorkspaces, workspacesOf } from '../setup/stored-workspaces.ts';
import type { Store } from '../store/store.ts';
import { reportFault } from './report-fault.ts';

/**
 * The workspaces of the first key, for the user of the data directory, who has that key: a daemon that is called with it finds the
 * same ones. `ended` ends their upkeep.
 */
export function firstKeyWorkspaces(
  config: Config,
  environment: Environment,
  { store, audit, ended }: { store: Store; audit: Pick<AuditLog, 'append'>; ended: AbortSignal },
): Workspaces {
  const fault = reportFault(environment);
  const log = ({ err }: { err: unknown }, message: string) => fault(new Error(`${message}: ${String(err)}`));
  const all = storedWorkspaces({
    store,
    settings: () => config.workspaces,
    audit,
    ended,
    logger: { warn: log, error: log },
  });
  return workspacesOf(all, programActor.firstKey);
}
