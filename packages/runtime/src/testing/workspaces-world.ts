import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  openWorkspaces,
  type WorkspaceBounds,
  type WorkspaceStorage,
  type Workspaces,
} from '@ambit/core/internal';
import { folderWorkspaces } from '../stores/folder-workspaces.ts';
import { temporaryFolder } from './skill-on-disk.ts';

/** A signal that never aborts. */
export const never = new AbortController().signal;
export const text = (content: string): Uint8Array => new TextEncoder().encode(content);
/** Hex. */
export const sha256 = (content: Uint8Array): string => hash('sha256', content);
/** A log that accepts everything. */
export const nothing = async (): Promise<void> => undefined;

/** Workspaces with a clock that the test sets. */
export interface World {
  clock: { now: number };
  folder: string;
  unreadable: string[];
  /** Workspaces whose expiry was logged. */
  expired: string[];
  /** The error of logging an expiry; `undefined`: logging succeeds. */
  expiry: { fault: Error | undefined };
  open(around?: Partial<WorkspaceStorage>, bounds?: Partial<WorkspaceBounds>): Promise<Workspaces>;
}

/** Workspaces in a temporary folder. */
export async function world(): Promise<World> {
  const folder = join(await temporaryFolder(), 'workspaces');
  const clock = { now: 1_000_000 };
  const unreadable: string[] = [];
  const expired: string[] = [];
  const expiry: World['expiry'] = { fault: undefined };
  let ids = 0;
  return {
    clock,
    folder,
    unreadable,
    expired,
    expiry,
    async open(around = {}, bounds = {}) {
      const storage = {
        ...folderWorkspaces({ folder, onUnreadable: (place) => unreadable.push(place) }),
        ...around,
      };
      return openWorkspaces(
        {
          ...{ storage, now: () => clock.now, sha256, newId: () => `id-${++ids}` },
          beforeExpiry: async ({ id }) => {
            if (expiry.fault !== undefined) throw expiry.fault;
            expired.push(id);
          },
          bounds: {
            ...{ countMax: 3, quotaBytes: 100, quotaBytesMax: 100 },
            ...{ expiresAfterMs: 1000, expiresAfterMsMax: 5000, ...bounds },
          },
        },
        await storage.load(),
      );
    },
  };
}

/** Adds and removes files of a workspace of `bot` in one step. */
export async function change(
  workspaces: Workspaces,
  id: string,
  put: Record<string, string>,
  drop: string[] = [],
): Promise<void> {
  const lease = await workspaces.enter('bot', id, never);
  try {
    const files = Object.entries(put).map(([path, content]) => ({ path, content: text(content) }));
    const staged = await lease?.stage({ put: files, drop });
    await staged?.commit();
  } finally {
    await lease?.release();
  }
}

/** The files of a workspace of `bot`, as text. */
export async function contentsOf(workspaces: Workspaces, id: string): Promise<Record<string, string>> {
  const lease = await workspaces.enter('bot', id, never);
  const files = (await lease?.files()) ?? [];
  await lease?.release();
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}
