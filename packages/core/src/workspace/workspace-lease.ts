import { SkillError } from '../outcome/skill-error.ts';
import { checkContents, checkTotal } from './check-contents.ts';
import type { FairLock } from './fair-lock.ts';
import { digestOf, type FileContent } from './file-content.ts';
import { type StoredFile, usedBytes, type Workspace, type WorkspaceContents } from './workspace.ts';
import { foldersOf, type WorkspaceEntry, type WorkspaceFile } from './workspace-file.ts';
import type { WorkspaceStorage } from './workspace-storage.ts';

/** An open workspace. */
export interface OpenWorkspaceState {
  current: Workspace;
  /** Its last use, as stored. */
  storedUsedAt: number;
  /** Whether it was removed, so that it can no longer be found. */
  isGone: boolean;
  /** The state that the audit log has and the storage does not have yet: its next record, or `null` if it was removed. */
  recorded: Workspace | null | undefined;
  /** Whether this node holds it; always false if no other node uses the storage. */
  isHeld: boolean;
  readonly lock: FairLock;
}

/** A change; each path is in one of the two lists. */
export interface WorkspaceChange {
  put: readonly WorkspaceEntry[];
  drop: readonly string[];
}

/** A change whose contents are durable but which is not visible yet. */
export interface StagedChange {
  /** The workspace after the change. */
  workspace: Workspace;
  /**
   * Applies it atomically, when the audit log has it. If that fails, it is applied before the next use of the workspace.
   */
  commit(): Promise<void>;
}

/** Exclusive access to a workspace. */
export interface WorkspaceLease {
  /** Its present state. */
  workspace(): Workspace;
  /** All that it contains. The files are read when they are needed. */
  entries(): WorkspaceEntry[];
  /** The limits of its contents. */
  bounds(): { bytesMax: number; entriesMax: number };
  /** A file of it, or of a staged change. */
  content(file: Pick<StoredFile, 'sha256' | 'bytes'>): FileContent;
  /** Throws `INPUT_INVALID` or `WORKSPACE_FULL` if the result is invalid; then nothing changes. */
  stage(change: WorkspaceChange): Promise<StagedChange>;
  remove(): Promise<void>;
  /** Releases the workspace. Never rejects; a second call does nothing. */
  release(): Promise<void>;
}

/** After a crash the stored expiry may be wrong by this share of its period. */
const spanUnwritten = 0.1;

/** Whether its last use is so much later than stored that it must be written. */
export function hasDrifted({ current: { usedAt, expiresInMs }, storedUsedAt }: OpenWorkspaceState): boolean {
  return usedAt - storedUsedAt > expiresInMs * spanUnwritten;
}

/** Applies what the audit log has and the storage does not have yet. */
export async function applyRecorded(storage: WorkspaceStorage, state: OpenWorkspaceState): Promise<void> {
  const { current, recorded } = state;
  if (recorded === undefined) return;
  try {
    await (recorded === null ? storage.remove(current.id) : storage.write(recorded));
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    // Another node may have changed it since.
    if (error.details['isHeld'] === false) {
      state.recorded = undefined;
      throw error;
    }
    throw new SkillError(
      error.code,
      `the audit log has a change of this workspace, but it is not stored: ${error.message}. Ambit tries again at the next use of the workspace and every minute; the change is lost if Ambit stops before`,
      { cause: error },
    );
  }
  state.recorded = undefined;
  if (recorded === null) return;
  state.current = recorded;
  state.storedUsedAt = recorded.usedAt;
}

/** Stores its last use. */
export async function writeUse(storage: WorkspaceStorage, state: OpenWorkspaceState): Promise<void> {
  const { current } = state;
  await storage.write(current);
  state.storedUsedAt = current.usedAt;
}

interface LeaseDeps {
  storage: WorkspaceStorage;
  now(): number;
  sha256(content: Uint8Array): string;
  /** In force now. */
  bounds(): { entriesMax: number; totalBytesMax: number };
  /** By how many bytes each workspace grows whose change is being stored. The same for all workspaces. */
  growing: Map<string, number>;
  onRemoved(): void;
}

/** Exclusive access to a workspace until it is released. Counts as a use. */
export function workspaceLease(
  { storage, now, sha256, bounds, growing, onRemoved }: LeaseDeps,
  state: OpenWorkspaceState,
  leave: () => Promise<void>,
): WorkspaceLease {
  const { id } = state.current;
  let isOver = false;
  const use = (): void => {
    state.current = { ...state.current, usedAt: now() };
  };
  const apply = async (recorded: Workspace | null): Promise<void> => {
    state.recorded = recorded;
    await applyRecorded(storage, state);
  };
  /**
   * Reserves space in the total for a change. What other workspaces store at the same time counts too. Throws `WORKSPACE_FULL`
   * without enough of it.
   */
  const reserve = async (used: number): Promise<void> => {
    // A change that ends meanwhile counts twice rather than never.
    const before = new Map(growing);
    const stored = await storage.bytesBesides(id);
    // Nothing is awaited between the sum and the reservation, so no two changes get the same space.
    const others = new Map([...before, ...growing]);
    others.delete(id);
    const total = [...others.values()].reduce((sum, bytes) => sum + bytes, stored);
    checkTotal(used, total, bounds().totalBytesMax);
    growing.set(id, Math.max(0, used - usedBytes(state.current)));
  };
  use();
  return {
    workspace: () => state.current,
    content: (file) => storage.content(id, file),
    bounds: () => ({ bytesMax: state.current.quotaBytes, entriesMax: bounds().entriesMax }),
    entries() {
      const { files, links, folders } = state.current;
      return [
        ...files.map((stored) => {
          const file: WorkspaceFile = { path: stored.path, content: storage.content(id, stored) };
          return stored.executable ? { ...file, executable: stored.executable } : file;
        }),
        ...links,
        ...folders.map((path) => ({ path, folder: true as const })),
      ];
    },
    async stage({ put, drop }) {
      const { files, links, folders } = state.current;
      const entries = new Map<string, StoredFile | Exclude<WorkspaceEntry, WorkspaceFile>>();
      for (const path of folders) entries.set(path, { path, folder: true });
      for (const each of [...links, ...files]) entries.set(each.path, each);
      for (const path of drop) entries.delete(path);
      const before = new Map(files.map((file) => [file.path, file]));
      const contents = new Map<string, Uint8Array | FileContent>();
      for (const entry of put) {
        if (!('content' in entry)) entries.set(entry.path, entry);
        else {
          const next = described(entry, before.get(entry.path), now(), sha256);
          entries.set(entry.path, next);
          contents.set(next.sha256, entry.content);
        }
      }
      const workspace = { ...state.current, ...contentsOf([...entries.values()]) };
      checkContents(workspace, bounds().entriesMax);
      for (const stored of state.current.files) contents.delete(stored.sha256);
      if (contents.size > 0) {
        await reserve(usedBytes(workspace));
        await storage.prepare(id, contents);
      }
      return {
        workspace,
        async commit() {
          await apply({ ...workspace, usedAt: now() });
          growing.delete(id);
        },
      };
    },
    async remove() {
      state.isGone = true;
      await apply(null);
      onRemoved();
    },
    async release() {
      if (isOver) return;
      isOver = true;
      growing.delete(id);
      use();
      // If that fails, a sweep repeats it.
      if (!state.isGone && state.recorded === undefined && hasDrifted(state))
        await writeUse(storage, state).catch(() => undefined);
      await leave();
    },
  };
}

/** Entries by kind. A folder with an entry below it is not empty. */
function contentsOf(
  entries: readonly (StoredFile | Exclude<WorkspaceEntry, WorkspaceFile>)[],
): WorkspaceContents {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const filled = new Set(sorted.flatMap(({ path }) => foldersOf(path)));
  return {
    files: sorted.filter((entry) => 'sha256' in entry),
    links: sorted.filter((entry) => 'link' in entry),
    folders: sorted.flatMap((entry) => ('folder' in entry && !filled.has(entry.path) ? [entry.path] : [])),
  };
}

/** A file that is written unchanged was not modified. */
function described(
  { path, content, executable }: WorkspaceFile,
  before: StoredFile | undefined,
  time: number,
  sha256: (content: Uint8Array) => string,
): StoredFile {
  const digest = digestOf(content, sha256);
  const modified = before?.sha256 === digest ? before.modified : time;
  const file = { path, bytes: content.length, sha256: digest, modified };
  return executable ? { ...file, executable } : file;
}
