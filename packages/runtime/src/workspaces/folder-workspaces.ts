import { hash } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Workspace, type WorkspaceStorage } from '@ambit/core/internal';
import { readOrdinaryFile } from '../durable/read-ordinary-file.ts';
import { syncFolder, writeDurably } from '../durable/write-durably.ts';

const recordName = 'workspace.json';
/** Content that is being written, and a workspace that is being removed: what is left of them after a crash goes. */
const unfinished = /\.(?:new|gone)$/;

/** Where workspaces are kept, and who is told of one that cannot be read. */
export interface FolderWorkspacesOptions {
  /** Made when it is first needed, closed to other users. */
  folder: string;
  /** A workspace's folder that is left as it is, because its record cannot be read. */
  onUnreadable(folder: string, cause: unknown): void;
}

/**
 * Workspaces in folders of their own, each with a record and its files' contents by their digests. No path of a workspace
 * is ever a path of the disk, so that no name in it means anything there.
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
    async keep(id, sha256, content) {
      await mkdir(contents(id), { recursive: true, mode: 0o700 });
      await writeDurably(join(contents(id), sha256), content);
    },
    async read(id, sha256) {
      const content = await readOrdinaryFile(join(contents(id), sha256));
      if (hash('sha256', content) !== sha256)
        throw new Error(`the file ${sha256} of the workspace ${id} is not what was kept there`);
      return content;
    },
    async write(workspace) {
      const { id, files } = workspace;
      const isNew = (await mkdir(place(id), { recursive: true, mode: 0o700 })) !== undefined;
      // Its contents have to be found again before anything names them.
      if (files.length > 0) await syncFolder(contents(id));
      await writeDurably(join(place(id), recordName), `${JSON.stringify(workspace)}\n`);
      await syncFolder(place(id));
      if (isNew) await syncFolder(folder);
    },
    tidy,
    async remove(id) {
      const gone = `${place(id)}.gone`;
      // Gone already where somebody removed it by hand, or the last step failed before.
      await rename(place(id), gone).catch(unlessMissing);
      await syncFolder(folder);
      await rm(gone, { recursive: true, force: true });
    },
  };
}

/** `undefined` for a folder that never became a workspace. */
async function recordIn(
  folder: string,
  name: string,
  onUnreadable: FolderWorkspacesOptions['onUnreadable'],
): Promise<Workspace | 'unreadable' | undefined> {
  try {
    const text = (await readOrdinaryFile(join(folder, name, recordName))).toString();
    const workspace = Workspace.parse(JSON.parse(text));
    if (workspace.id !== name) throw new Error(`it is the record of ${workspace.id}`);
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
