import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import {
  type FileContent,
  partBytes,
  partsOf,
  type SharedWorkspaces,
  usedBytes,
  Workspace,
  type WorkspaceStorage,
} from '@ambit/core/workspace';
import type { ClaimHolder } from '../jobs/idempotency/claim-store.ts';
import { freeBytes } from './free-bytes.ts';
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
  const removeUnnamed = async (id: string, also: readonly string[]): Promise<void> => {
    let left: Awaited<ReturnType<typeof remove>>;
    const remove = () => store.run('removeUnnamed', id, also, holder?.());
    do {
      left = await remove();
      requireHeld(id, left !== 'lost');
    } while (left === 'more');
  };
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
    content: (id, file) => storedContent(store, id, file),
    async prepare(id, contents) {
      await removeUnnamed(id, [...contents.keys()]);
      for await (const some of inTransactions(contents))
        requireHeld(id, await store.run('addContents', id, some, holder?.()));
    },
    async write(workspace) {
      const { id } = workspace;
      const [record, bytes] = [JSON.stringify(workspace), usedBytes(workspace)];
      requireHeld(id, await store.run('writeWorkspace', id, record, bytes, holder?.()));
      // If that fails, the next change repeats it.
      await removeUnnamed(id, []).catch(() => undefined);
    },
    bytesBesides: (id) => store.run('bytesBesides', id),
    async remove(id) {
      requireHeld(id, await store.run('removeWorkspace', id, holder?.()));
    },
    shared: holder && sharedWorkspaces(store, holder),
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

async function* inTransactions(
  contents: ReadonlyMap<string, Uint8Array | FileContent>,
): AsyncGenerator<readonly Content[]> {
  let some: Content[] = [];
  let bytes = 0;
  for (const [sha256, content] of contents) {
    let part = 0;
    for await (const piece of storedParts(sha256, content)) {
      if (some.length > 0 && bytes + piece.length > contentBytesMax) {
        yield some;
        [some, bytes] = [[], 0];
      }
      some.push({ sha256, part, content: ownBytes(piece) });
      part += 1;
      bytes += piece.length;
      // Before the next piece, which may be in the same memory.
      if (bytes < contentBytesMax) continue;
      yield some;
      [some, bytes] = [[], 0];
    }
  }
  if (some.length > 0) yield some;
}

/** The parts of a file as they are stored: an empty file has one. Throws if they are not what the digest names. */
async function* storedParts(sha256: string, content: Uint8Array | FileContent): AsyncGenerator<Uint8Array> {
  if (content.length === 0) yield new Uint8Array();
  if (content instanceof Uint8Array) return yield* partsOf(content);
  const digest = createHash('sha256');
  for await (const part of inParts(content)) {
    digest.update(part);
    yield part;
  }
  if (digest.digest('hex') !== sha256) throw new Error('a file changed while it was stored');
}

/** The bytes of a file in parts of `partBytes`, except for the last. All are in the same memory. */
async function* inParts(content: FileContent): AsyncGenerator<Uint8Array> {
  const held = new Uint8Array(Math.min(partBytes, content.length));
  let bytes = 0;
  for await (const part of content.parts())
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + held.length - bytes);
      held.set(piece, bytes);
      at += piece.length;
      bytes += piece.length;
      if (bytes < held.length) continue;
      yield held;
      bytes = 0;
    }
  if (bytes > 0) yield held.slice(0, bytes);
}

/** A file of the store. Read as a whole, it is what its digest names; a range of a file of several parts is not compared. */
function storedContent(
  store: Pick<Store, 'run'>,
  id: string,
  { sha256, bytes }: { sha256: string; bytes: number },
): FileContent {
  return {
    length: bytes,
    sha256,
    async *parts(start = 0, end = bytes) {
      if (start >= bytes && bytes > 0) return;
      const digest = createHash('sha256');
      const partAt = (offset: number): number => Math.max(0, Math.ceil(offset / partBytes) - 1);
      const [first, last] = [Math.floor(start / partBytes), partAt(Math.min(end, bytes))];
      const isWhole = first === 0 && last === partAt(bytes);
      for (let part = first; part <= last; part += 1) {
        const content = await store.run('workspaceContent', id, sha256, part);
        if (content === undefined) throw new Error(`the file ${sha256} of the workspace ${id} is missing`);
        digest.update(content);
        if (part === last && isWhole && digest.digest('hex') !== sha256)
          throw new Error(`the file ${sha256} of the workspace ${id} has changed in the store`);
        const at = part * partBytes;
        yield content.subarray(Math.max(0, start - at), end - at);
        freeBytes(content);
      }
    },
  };
}
