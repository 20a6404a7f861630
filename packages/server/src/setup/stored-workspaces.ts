import { hash } from 'node:crypto';
import type { Actor, AuditLog } from '@ambit/core/audit';
import { openWorkspaces, type Workspace, type WorkspaceBounds, type Workspaces } from '@ambit/core/workspace';
import type { Config } from '../config/config.ts';
import type { ClaimHolder } from '../jobs/idempotency/claim-store.ts';
import type { Store } from '../store/store.ts';
import { workspaceStorage } from '../store/workspace-storage.ts';
import { newId } from '../wire/new-id.ts';

/** The interval at which a daemon removes expired workspaces. */
const sweepMs = 60_000;

interface StoredWorkspacesOptions {
  store: Store;
  /** From the configuration in force. */
  settings(): Config['workspaces'];
  audit: Pick<AuditLog, 'append'>;
  logger: Record<'warn' | 'error', (fields: { err: unknown; workspace?: string }, message: string) => void>;
  ended: AbortSignal;
  /** This node; absent without a cluster. */
  holder?: (() => ClaimHolder) | undefined;
  /** Milliseconds since the epoch; absent: this machine's clock. */
  now?: (() => number) | undefined;
}

/**
 * The workspaces of a store, which are read at the first use. While that fails, the use is refused, and the next one tries
 * again. Removes expired ones now, and every minute until `ended`.
 */
export function storedWorkspaces(options: StoredWorkspacesOptions): Workspaces {
  const { store, settings, audit, logger, ended, holder, now = Date.now } = options;
  const onUnreadable = (workspace: string, err: unknown): void =>
    logger.warn({ err, workspace }, 'cannot read a workspace, so it is unavailable; it is unchanged');
  const storage = workspaceStorage(store, onUnreadable, holder);
  const deps = {
    storage,
    get bounds() {
      return boundsOf(settings());
    },
    now,
    sha256: (content: Uint8Array) => hash('sha256', content),
    newId,
    beforeExpiry: ({ id, owner }: Workspace) =>
      audit.append({ kind: 'workspace.expired', time: Date.now(), workspace: id, actor: owner }),
  };
  const workspaces = openedWhenUsed(async () => openWorkspaces(deps, await storage.load()));
  const sweep = (): Promise<void> =>
    workspaces.sweep().catch((err: unknown) => {
      if (!ended.aborted) logger.error({ err }, 'cannot remove expired workspaces');
    });
  void sweep();
  const timer = setInterval(() => void sweep(), sweepMs).unref();
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
  return workspaces;
}

function openedWhenUsed(open: () => Promise<Workspaces>): Workspaces {
  let opened: Workspaces | undefined;
  let opening: Promise<Workspaces> | undefined;
  const use = async (): Promise<Workspaces> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    opened = await opening;
    return opened;
  };
  return {
    list: async (...given) => (await use()).list(...given),
    get: async (...given) => (await use()).get(...given),
    create: async (...given) => (await use()).create(...given),
    read: async (...given) => (await use()).read(...given),
    enter: async (...given) => (await use()).enter(...given),
    sweep: async () => (await use()).sweep(),
    load: () => opened?.load() ?? { workspaces: 0, bytes: 0, waiting: 0 },
  };
}

/** The same workspaces. A caller uses the workspaces of the owner that `ownerOf` returns for its name in the log. */
export function workspacesBy(workspaces: Workspaces, ownerOf: (actor: Actor) => Actor): Workspaces {
  return {
    ...workspaces,
    list: (actor) => workspaces.list(ownerOf(actor)),
    get: (actor, id) => workspaces.get(ownerOf(actor), id),
    create: (actor, options, before) => workspaces.create(ownerOf(actor), options, before),
    read: (actor, id, path) => workspaces.read(ownerOf(actor), id, path),
    enter: (actor, id, signal) => workspaces.enter(ownerOf(actor), id, signal),
  };
}

function boundsOf(settings: Config['workspaces']): WorkspaceBounds {
  const { maxPerKey, quotaBytes, maxQuotaBytes, maxTotalBytes, maxFiles } = settings;
  const { expiresAfterSeconds, maxExpiresAfterSeconds } = settings;
  return {
    countMax: maxPerKey,
    quotaBytes,
    quotaBytesMax: maxQuotaBytes,
    entriesMax: maxFiles,
    totalBytesMax: maxTotalBytes,
    expiresAfterMs: expiresAfterSeconds * 1000,
    expiresAfterMsMax: maxExpiresAfterSeconds * 1000,
  };
}
