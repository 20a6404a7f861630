import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  openWorkspaces,
  type WorkspaceBounds,
  type WorkspaceStorage,
  type Workspaces,
} from '@ambit/core/internal';
import { temporaryFolder } from '../../testing/skill-on-disk.ts';
import { folderWorkspaces } from '../folder-workspaces.ts';

/** Of whoever does not give up. */
export const never = new AbortController().signal;
/** As bytes. */
export const text = (content: string): Uint8Array => new TextEncoder().encode(content);
/** In hex. */
export const sha256 = (content: Uint8Array): string => hash('sha256', content);
/** A log that keeps nothing from being. */
export const nothing = async (): Promise<void> => undefined;

/** A clock that is set by hand, and what uses it. */
export interface World {
  clock: { now: number };
  folder: string;
  unreadable: string[];
  /** Those that have expired, when they could be told of. */
  expired: string[];
  /** What comes of telling of one that expires; `undefined`: it can be told. */
  expiry: { fault: Error | undefined };
  open(around?: Partial<WorkspaceStorage>, bounds?: Partial<WorkspaceBounds>): Promise<Workspaces>;
}

/** Workspaces in a folder that is removed after the test. */
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

/** Puts and drops files of a workspace of `bot`, all at once. */
export async function change(
  workspaces: Workspaces,
  id: string,
  put: Record<string, string>,
  drop: string[] = [],
): Promise<void> {
  const turn = await workspaces.enter('bot', id, never);
  try {
    const files = Object.entries(put).map(([path, content]) => ({ path, content: text(content) }));
    const staged = await turn?.stage({ put: files, drop });
    await staged?.commit();
  } finally {
    await turn?.release();
  }
}

/** The files of a workspace of `bot`, as text. */
export async function contentsOf(workspaces: Workspaces, id: string): Promise<Record<string, string>> {
  const turn = await workspaces.enter('bot', id, never);
  const files = (await turn?.files()) ?? [];
  await turn?.release();
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}
