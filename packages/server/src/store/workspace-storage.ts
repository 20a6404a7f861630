import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import { type SharedWorkspaces, Workspace, type WorkspaceStorage } from '@ambit/core/internal';
import type { ClaimHolder } from '../jobs/idempotency/claim-store.ts';
import type { Content } from './operations/workspaces.ts';
import { ownBytes } from './statement.ts';
import type { Store } from './store.ts';

/** In one transaction. Larger ones would make other users of the store wait. */
const contentBytesMax = 1024 * 1024;

/**
 * Workspaces in a store. `onUnreadable` receives a workspace whose record is unreadable; it stays unchanged. `holder` is this
 * node, if other nodes use the store too.
 */
export function workspaceStorage(
  store: Pick<Store, 'run'>,
  onUnreadable: (id: string, cause: unknown) => void,
  holder?: () => ClaimHolder,
): WorkspaceStorage {
  return {
    async load() {
      const found = await store.run('workspaceRecords');
      return found.flatMap(({ id, record }) => {
        try {
          return [parsedRecord(id, record)];
        } catch (error) {
          onUnreadable(id, error);
          return [];
        }
      });
    },
    async read(id, sha256) {
      const content = await store.run('workspaceContent', id, sha256);
      if (content === undefined) throw new Error(`the file ${sha256} of the workspace ${id} is missing`);
      if (hash('sha256', content) !== sha256)
        throw new Error(`the file ${sha256} of the workspace ${id} has changed in the store`);
      return content;
    },
    async prepare(id, contents) {
      requireHeld(id, await store.run('removeUnnamed', id, [...contents.keys()], holder?.()));
      for (const some of inTransactions(contents))
        requireHeld(id, await store.run('addContents', id, some, holder?.()));
    },
    async write(workspace) {
      const { id } = workspace;
      requireHeld(id, await store.run('writeWorkspace', id, JSON.stringify(workspace), holder?.()));
    },
    async remove(id) {
      requireHeld(id, await store.run('removeWorkspace', id, holder?.()));
    },
    ...(holder === undefined ? {} : { shared: sharedWorkspaces(store, holder) }),
  };
}

/** The time between two looks at a workspace that another node holds, in milliseconds: from the first to the longest. */
const [firstWaitMs, longestWaitMs] = [20, 250];

/** The workspaces of a cluster, as the node that `holder` returns holds them. */
function sharedWorkspaces(store: Pick<Store, 'run'>, holder: () => ClaimHolder): SharedWorkspaces {
  return {
    async hold(id, signal) {
      for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
        const held = await store.run('holdWorkspace', id, holder());
        if (held === undefined) return { record: null, isKept: false };
        if (held !== 'busy') return { record: parsedRecord(id, held.record), isKept: held.isKept };
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
      }
      return undefined;
    },
    drop: (id) => store.run('dropWorkspace', id, holder()),
    async find(id) {
      const found = await store.run('findWorkspace', id, holder());
      return found && { record: parsedRecord(id, found.record), isHeld: found.isHeld === 1 };
    },
    listOf: async (owner) =>
      (await store.run('findWorkspacesOf', owner, holder())).map(({ id, record, isHeld }) => ({
        record: parsedRecord(id, record),
        isHeld: isHeld === 1,
      })),
  };
}

function requireHeld(id: string, isHeld: boolean): void {
  if (isHeld) return;
  throw new SkillError(
    'STORE_UNAVAILABLE',
    `the change of the workspace ${id} is not stored: this node has lost its lease, and another node may have changed the workspace. The call has run, and the audit log may have the change`,
    { details: { isHeld: false } },
  );
}

/** The workspace with this id. Throws if the record is not one. */
function parsedRecord(id: string, record: string): Workspace {
  const workspace = Workspace.parse(JSON.parse(record));
  if (workspace.id !== id) throw new Error(`its record has the id ${workspace.id}`);
  return workspace;
}

function* inTransactions(contents: ReadonlyMap<string, Uint8Array>): Generator<readonly Content[]> {
  let some: Content[] = [];
  let bytes = 0;
  for (const [sha256, content] of contents) {
    if (some.length > 0 && bytes + content.length > contentBytesMax) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push({ sha256, content: ownBytes(content) });
    bytes += content.length;
  }
  if (some.length > 0) yield some;
}
