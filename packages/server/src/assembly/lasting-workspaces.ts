import { hash } from 'node:crypto';
import type { Actor, AuditLog } from '@ambit/core/audit';
import { openWorkspaces, type Workspace, type WorkspaceBounds, type Workspaces } from '@ambit/core/internal';
import { folderWorkspaces } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../config/config.ts';
import { dataFiles } from './data-dir.ts';

/** How often a daemon looks for workspaces that nobody uses any more. */
const everyMs = 60_000;

/** Where workspaces lie, and who is told of them. */
interface LastingWorkspacesOptions {
  dataDir: string;
  /** As the configuration in force has them. */
  settings(): Config['workspaces'];
  audit: Pick<AuditLog, 'append'>;
  logger: Record<'warn' | 'error', (fields: { err: unknown; folder?: string }, message: string) => void>;
  ended: AbortSignal;
}

/** The workspaces of a data directory. Those that have expired go now, and every minute until `ended`. */
export async function lastingWorkspaces(options: LastingWorkspacesOptions): Promise<Workspaces> {
  const { dataDir, settings, audit, logger, ended } = options;
  const storage = folderWorkspaces({
    folder: dataFiles({ dataDir }).workspaces,
    onUnreadable: (folder, err) =>
      logger.warn({ err, folder }, 'a workspace cannot be read; it is left as it is, and is for nobody'),
  });
  const deps = {
    storage,
    get bounds() {
      return boundsOf(settings());
    },
    now: Date.now,
    sha256: (content: Uint8Array) => hash('sha256', content),
    newId: uuidv7,
    beforeExpiry: ({ id, owner }: Workspace) =>
      audit.append({ kind: 'workspace.expired', time: Date.now(), workspace: id, actor: owner }),
  };
  const workspaces = openWorkspaces(deps, await storage.load());
  const sweep = (): Promise<void> =>
    workspaces
      .sweep()
      .catch((err: unknown) => logger.error({ err }, 'workspaces that have expired could not be removed'));
  await sweep();
  const timer = setInterval(() => void sweep(), everyMs).unref();
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
  return workspaces;
}

/** The workspaces of one owner, for a program in which every caller is that owner, whatever the log calls it. */
export function workspacesOf(workspaces: Workspaces, owner: Actor): Workspaces {
  return {
    ...workspaces,
    list: () => workspaces.list(owner),
    get: (_, id) => workspaces.get(owner, id),
    create: (_, wish, before) => workspaces.create(owner, wish, before),
    read: (_, id, path) => workspaces.read(owner, id, path),
    enter: (_, id, signal) => workspaces.enter(owner, id, signal),
  };
}

function boundsOf(settings: Config['workspaces']): WorkspaceBounds {
  const { most, quotaBytes, maxQuotaBytes, expiresAfterSeconds, maxExpiresAfterSeconds } = settings;
  return {
    ...{ countMax: most, quotaBytes, quotaBytesMax: maxQuotaBytes },
    expiresAfterMs: expiresAfterSeconds * 1000,
    expiresAfterMsMax: maxExpiresAfterSeconds * 1000,
  };
}
