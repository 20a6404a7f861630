import { hash } from 'node:crypto';
import type { Actor, AuditLog } from '@ambit/core/audit';
import { openWorkspaces, type Workspace, type WorkspaceBounds, type Workspaces } from '@ambit/core/internal';
import { folderWorkspaces } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../config/config.ts';
import { dataFiles } from './data-dir.ts';

/** How often a daemon removes expired workspaces. */
const sweepMs = 60_000;

interface StoredWorkspacesOptions {
  dataDir: string;
  /** From the configuration in force. */
  settings(): Config['workspaces'];
  audit: Pick<AuditLog, 'append'>;
  logger: Record<'warn' | 'error', (fields: { err: unknown; folder?: string }, message: string) => void>;
  ended: AbortSignal;
}

/** Opens the workspaces of a data directory. Removes expired ones now, and every minute until `ended`. */
export async function storedWorkspaces(options: StoredWorkspacesOptions): Promise<Workspaces> {
  const { dataDir, settings, audit, logger, ended } = options;
  const storage = folderWorkspaces({
    folder: dataFiles({ dataDir }).workspaces,
    onUnreadable: (folder, err) =>
      logger.warn({ err, folder }, 'cannot read a workspace, so it is unavailable; its files are unchanged'),
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
    workspaces.sweep().catch((err: unknown) => logger.error({ err }, 'cannot remove expired workspaces'));
  await sweep();
  const timer = setInterval(() => void sweep(), sweepMs).unref();
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
  return workspaces;
}

/** The workspaces of one owner, for a program whose only caller is that owner, under any name in the log. */
export function workspacesOf(workspaces: Workspaces, owner: Actor): Workspaces {
  return {
    ...workspaces,
    list: () => workspaces.list(owner),
    get: (_, id) => workspaces.get(owner, id),
    create: (_, options, before) => workspaces.create(owner, options, before),
    read: (_, id, path) => workspaces.read(owner, id, path),
    enter: (_, id, signal) => workspaces.enter(owner, id, signal),
  };
}

function boundsOf(settings: Config['workspaces']): WorkspaceBounds {
  const { maxPerKey, quotaBytes, maxQuotaBytes, expiresAfterSeconds, maxExpiresAfterSeconds } = settings;
  return {
    ...{ countMax: maxPerKey, quotaBytes, quotaBytesMax: maxQuotaBytes },
    expiresAfterMs: expiresAfterSeconds * 1000,
    expiresAfterMsMax: maxExpiresAfterSeconds * 1000,
  };
}
