import { hash } from 'node:crypto';
import {
  allBytesOf,
  openWorkspaces,
  type WorkspaceBounds,
  type WorkspaceStorage,
  type Workspaces,
} from '../../../packages/core/src/workspace.ts';
import { type Store, workspaceStorage } from '../../../packages/server/src/index.ts';
import type { TestDatabase } from '../../../packages/server/src/store/testing/databases.ts';

/** A signal that never aborts. */
export const never = new AbortController().signal;
export const text = (content: string): Uint8Array => new TextEncoder().encode(content);
/** Hex. */
export const sha256 = (content: Uint8Array): string => hash('sha256', content);
/** A log that accepts everything. */
export const nothing = async (): Promise<void> => undefined;

/** Workspaces in one database, with a clock that the test sets. */
export interface World {
  clock: { now: number };
  /** Workspaces whose expiry was logged. */
  expired: string[];
  /** The error of logging an expiry; `undefined`: logging succeeds. */
  expiry: { fault: Error | undefined };
  /** Opens a store of its own. `around` replaces methods of the storage. */
  open(around?: Partial<WorkspaceStorage>, bounds?: Partial<WorkspaceBounds>): Promise<Workspaces>;
  /** Another store in the same database, and what it stores. */
  store: Store;
  storage: WorkspaceStorage;
  storedIds(): Promise<string[]>;
  /** Finds which of these contents a workspace has stored. */
  storedContents(id: string, contents: readonly string[]): Promise<string[]>;
}

export async function world(database: TestDatabase): Promise<World> {
  const { open } = await database.create();
  const clock = { now: 1_000_000 };
  const expired: string[] = [];
  const expiry: World['expiry'] = { fault: undefined };
  const store = await open();
  const unexpected = (id: string, cause: unknown): never => {
    throw new Error(`${id} is unreadable`, { cause });
  };
  const storage = workspaceStorage(store, unexpected);
  let ids = 0;
  return {
    clock,
    expired,
    expiry,
    store,
    storage,
    storedIds: async () => (await storage.load()).map(({ id }) => id),
    async storedContents(id, contents) {
      const found = contents.map(async (content) =>
        (await store.run('workspaceContent', id, sha256(text(content)), 0)) === undefined ? [] : [content],
      );
      return (await Promise.all(found)).flat();
    },
    async open(around = {}, bounds = {}) {
      const own = { ...workspaceStorage(await open(), unexpected), ...around };
      return openWorkspaces(
        {
          storage: own,
          now: () => clock.now,
          sha256,
          newId: () => `id-${++ids}`,
          beforeExpiry: async ({ id }) => {
            if (expiry.fault !== undefined) throw expiry.fault;
            expired.push(id);
          },
          bounds: {
            countMax: 3,
            quotaBytes: 100,
            quotaBytesMax: 100,
            entriesMax: 4000,
            totalBytesMax: 1e9,
            expiresAfterMs: 1000,
            expiresAfterMsMax: 5000,
            ...bounds,
          },
        },
        await own.load(),
      );
    },
  };
}

/** A world with an open store, and a workspace of `bot` that has these files. */
export async function oneWorkspace(
  database: TestDatabase,
  files: Record<string, string> = {},
): Promise<World & { workspaces: Workspaces; id: string }> {
  const around = await world(database);
  const workspaces = await around.open();
  const { id } = await workspaces.create('bot', {}, nothing);
  if (Object.keys(files).length > 0) await change(workspaces, id, files);
  return { ...around, workspaces, id };
}

/** Adds and removes files of a workspace of `bot` in one step. */
export async function change(
  workspaces: Workspaces,
  id: string,
  put: Record<string, string | Uint8Array>,
  drop: string[] = [],
): Promise<void> {
  const lease = await workspaces.enter('bot', id, never);
  try {
    const files = Object.entries(put).map(([path, content]) => ({
      path,
      content: typeof content === 'string' ? text(content) : content,
    }));
    const staged = await lease?.stage({ put: files, drop });
    await staged?.commit();
  } finally {
    await lease?.release();
  }
}

/** The files of a workspace of `bot`, as text. */
export async function contentsOf(workspaces: Workspaces, id: string): Promise<Record<string, string>> {
  const lease = await workspaces.enter('bot', id, never);
  const files = (lease?.entries() ?? []).filter((entry) => 'content' in entry);
  const read = files.map(async ({ path, content }) => [
    path,
    Buffer.from(await allBytesOf(content)).toString(),
  ]);
  const contents = await Promise.all(read);
  await lease?.release();
  return Object.fromEntries(contents);
}
