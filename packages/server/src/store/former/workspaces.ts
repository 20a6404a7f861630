import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '@ambit/core/internal';
import { parsedRecord, workspaceStorage } from '../workspace-storage.ts';
import type { FormerData, OnUnreadable } from './former-data.ts';
import { readFormerFile } from './read-former-file.ts';

/** Records that were being written, and workspaces that were being removed. */
const unfinished = /\.(?:new|gone)$/;

/** A folder per workspace, with its record and a folder of contents under their digests. */
export const formerWorkspaces: FormerData = {
  name: 'workspaces',
  async importAll(folder, store, onUnreadable) {
    const storage = workspaceStorage(store, () => undefined);
    const known = new Set((await store.run('workspaceRecords')).map(({ id }) => id));
    for (const id of await readdir(folder)) {
      if (unfinished.test(id) || known.has(id)) continue;
      const workspace = await readRecord(folder, id).catch((error: unknown) => {
        onUnreadable(join(folder, id), error);
        return undefined;
      });
      if (workspace === undefined) continue;
      await storage.prepare(id, await readContents(join(folder, id, 'contents'), workspace, onUnreadable));
      await storage.write(workspace);
    }
  },
};

/** `undefined` without a record: the workspace was never complete. */
async function readRecord(folder: string, id: string): Promise<Workspace | undefined> {
  try {
    return parsedRecord(id, (await readFormerFile(join(folder, id, 'workspace.json'))).toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readContents(
  folder: string,
  { files }: Workspace,
  onUnreadable: OnUnreadable,
): Promise<Map<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  for (const { sha256 } of files) {
    const file = join(folder, sha256);
    try {
      const content = await readFormerFile(file);
      if (hash('sha256', content) !== sha256) throw new Error('it has changed since Ambit wrote it');
      contents.set(sha256, content);
    } catch (error) {
      onUnreadable(file, error);
    }
  }
  return contents;
}
