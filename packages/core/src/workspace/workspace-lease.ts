import { checkContents } from './check-contents.ts';
import type { FairLock } from './fair-lock.ts';
import type { StoredFile, Workspace } from './workspace.ts';
import type { WorkspaceFile } from './workspace-file.ts';
import type { WorkspaceStorage } from './workspace-storage.ts';

/** An open workspace. */
export interface OpenWorkspaceState {
  current: Workspace;
  /** Its last use, as stored. */
  storedUsedAt: number;
  /** Whether it was removed. */
  isGone: boolean;
  readonly lock: FairLock;
}

/** A change; each path is in one of the two lists. */
export interface WorkspaceChange {
  put: readonly WorkspaceFile[];
  drop: readonly string[];
}

/** A change whose bytes are durable but which is not visible yet. */
export interface StagedChange {
  /** The workspace after the change. */
  workspace: Workspace;
  /** Applies it atomically. */
  commit(): Promise<void>;
}

/** Exclusive access to a workspace. */
export interface WorkspaceLease {
  /** Its present state. */
  workspace(): Workspace;
  /** All its files. */
  files(): Promise<WorkspaceFile[]>;
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

interface LeaseDeps {
  storage: WorkspaceStorage;
  now(): number;
  sha256(content: Uint8Array): string;
  onRemoved(): void;
}

/** Exclusive access to a workspace until it is released. Counts as a use. */
export function workspaceLease(
  { storage, now, sha256, onRemoved }: LeaseDeps,
  state: OpenWorkspaceState,
  leave: () => void,
): WorkspaceLease {
  const { id } = state.current;
  let [isUntidy, isOver] = [false, false];
  const use = (): void => {
    state.current = { ...state.current, usedAt: now() };
  };
  const write = async (workspace: Workspace): Promise<void> => {
    await storage.write(workspace);
    state.current = workspace;
    state.storedUsedAt = workspace.usedAt;
  };
  const end = async (): Promise<void> => {
    if (state.isGone) return;
    use();
    if (hasDrifted(state)) await write(state.current);
    if (isUntidy) await storage.tidy(state.current);
  };
  use();
  return {
    workspace: () => state.current,
    files: () =>
      Promise.all(
        state.current.files.map(async ({ path, sha256: digest }) => ({
          path,
          content: await storage.read(id, digest),
        })),
      ),
    async stage({ put, drop }) {
      const files = new Map(state.current.files.map((file) => [file.path, file]));
      for (const path of drop) files.delete(path);
      for (const file of put) files.set(file.path, described(file, files.get(file.path), now(), sha256));
      const workspace = {
        ...state.current,
        files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
      };
      checkContents(workspace);
      isUntidy = true;
      await storeNew(storage, state.current, put, files);
      return { workspace, commit: () => write({ ...workspace, usedAt: now() }) };
    },
    async remove() {
      await storage.remove(id);
      state.isGone = true;
      onRemoved();
    },
    async release() {
      if (isOver) return;
      isOver = true;
      // Leftovers are removed at the next change or start.
      await end().catch(() => undefined);
      leave();
    },
  };
}

/** Concurrent writes take a disk little more time than one. */
const atOnceMax = 16;

/** Stores contents that are not stored yet, each once. */
async function storeNew(
  storage: WorkspaceStorage,
  { id, files: before }: Workspace,
  put: readonly WorkspaceFile[],
  files: ReadonlyMap<string, StoredFile>,
): Promise<void> {
  const contents = new Map(put.map(({ path, content }) => [(files.get(path) as StoredFile).sha256, content]));
  for (const { sha256 } of before) contents.delete(sha256);
  const left = [...contents];
  while (left.length > 0) {
    const some = left.splice(0, atOnceMax);
    const writes = await Promise.allSettled(
      some.map(([digest, content]) => storage.store(id, digest, content)),
    );
    for (const each of writes) if (each.status === 'rejected') throw each.reason;
  }
}

/** A file that is written unchanged was not modified. */
function described(
  { path, content }: WorkspaceFile,
  before: StoredFile | undefined,
  time: number,
  sha256: (content: Uint8Array) => string,
): StoredFile {
  const digest = sha256(content);
  const modified = before?.sha256 === digest ? before.modified : time;
  return { path, bytes: content.length, sha256: digest, modified };
}
