import { hash } from 'node:crypto';
import { Workspace, type WorkspaceStorage } from '@ambit/core/internal';
import type { Content } from './operations/workspaces.ts';
import { ownBytes } from './statement.ts';
import type { Store } from './store.ts';

/** In one transaction. Larger ones would make other users of the store wait. */
const contentBytesMax = 1024 * 1024;

/** Workspaces in a store. `onUnreadable` receives a workspace whose record is unreadable; it stays unchanged. */
export function workspaceStorage(
  store: Pick<Store, 'run'>,
  onUnreadable: (id: string, cause: unknown) => void,
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
      await store.run('removeUnnamed', id, [...contents.keys()]);
      for (const some of inTransactions(contents)) await store.run('addContents', id, some);
    },
    write: (workspace) => store.run('writeWorkspace', workspace.id, JSON.stringify(workspace)),
    remove: (id) => store.run('removeWorkspace', id),
  };
}

/** The workspace with this id. Throws if the record is not one. */
export function parsedRecord(id: string, record: string): Workspace {
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
