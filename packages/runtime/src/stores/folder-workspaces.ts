import { hash } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Workspace, type WorkspaceStorage } from '@ambit/core/internal';
import { readOrdinaryFile } from '../durable/read-ordinary-file.ts';
import { syncFolder, writeDurably } from '../durable/write-durably.ts';

const recordName = 'workspace.json';
/** Content being written and workspaces being removed; after a crash, these are deleted. */
const unfinished = /\.(?:new|gone)$/;

/** Where workspaces are stored, and a callback for unreadable ones. */
export interface FolderWorkspacesOptions {
  /** Created when first needed, closed to other users. */
  folder: string;
  /** Receives the folder of a workspace whose record is unreadable; the folder stays unchanged. */
  onUnreadable(folder: string, cause: unknown): void;
}

/**
 * Stores each workspace in a folder with a record, and the contents of files under their digests. A
 * path in a workspace is never used as a path on disk, so its name has no special meaning there.
 */
export function folderWorkspaces({ folder, onUnreadable }: FolderWorkspacesOptions): WorkspaceStorage {
  const place = (id: string): string => join(folder, id);
  const contents = (id: string): string => join(folder, id, 'contents');

  const tidy = async ({ id, files }: Workspace): Promise<void> => {
    const named = new Set(files.map(({ sha256 }) => sha256));
    for (const name of await namesIn(contents(id)))
      if (!named.has(name)) await rm(join(contents(id), name), { force: true });
  };

  return {
    async load() {
      const found: Workspace[] = [];
      for (const name of await namesIn(folder)) {
        const workspace = unfinished.test(name) ? undefined : await recordIn(folder, name, onUnreadable);
        if (workspace === undefined) await rm(place(name), { recursive: true, force: true });
        else if (workspace !== 'unreadable') {
          await tidy(workspace);
          found.push(workspace);
        }
      }
      return found;
    },
    async store(id, sha256, content) {
      await mkdir(contents(id), { recursive: true, mode: 0o700 });
      await writeDurably(join(contents(id), sha256), content);
    },
    async read(id, sha256) {
      const content = await readOrdinaryFile(join(contents(id), sha256));
      if (hash('sha256', content) !== sha256)
        throw new Error(`the file ${sha256} of the workspace ${id} has changed on disk`);
      return content;
    },
    async write(workspace) {
      const { id, files } = workspace;
      const isNew = (await mkdir(place(id), { recursive: true, mode: 0o700 })) !== undefined;
      // The contents must be durable before a record refers to them.
      if (files.length > 0) await syncFolder(contents(id));
      await writeDurably(join(place(id), recordName), `${JSON.stringify(workspace)}\n`);
      await syncFolder(place(id));
      if (isNew) await syncFolder(folder);
    },
    tidy,
    async remove(id) {
      const gone = `${place(id)}.gone`;
      // Missing if it was removed by hand or an earlier removal was interrupted.
      await rename(place(id), gone).catch(unlessMissing);
      await syncFolder(folder);
      await rm(gone, { recursive: true, force: true });
    },
  };
}

/** `undefined` for a folder without a record. */
async function recordIn(
  folder: string,
  name: string,
  onUnreadable: FolderWorkspacesOptions['onUnreadable'],
): Promise<Workspace | 'unreadable' | undefined> {
  try {
    const text = (await readOrdinaryFile(join(folder, name, recordName))).toString();
    const workspace = Workspace.parse(JSON.parse(text));
    if (workspace.id !== name) throw new Error(`its record has the id ${workspace.id}`);
    return workspace;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    onUnreadable(join(folder, name), error);
    return 'unreadable';
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
