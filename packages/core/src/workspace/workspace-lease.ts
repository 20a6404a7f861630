import type { WorkspaceFile } from '../execute/workspace-file.ts';
import { checkContents } from './check-contents.ts';
import type { FairLock } from './fair-lock.ts';
import type { StoredFile, Workspace } from './workspace.ts';
import type { WorkspaceStorage } from './workspace-storage.ts';

/** One workspace that is open. */
export interface OpenWorkspaceState {
  current: Workspace;
  /** Its last use, as the storage has it. */
  storedUsedAt: number;
  /** Whether it was removed: nothing holds for it any more. */
  isGone: boolean;
  readonly lock: FairLock;
}

/** What is to become different; a path is in one of them only. */
export interface WorkspaceChange {
  put: readonly WorkspaceFile[];
  drop: readonly string[];
}

/** A change whose bytes are durable and which nobody sees yet. */
export interface StagedChange {
  /** As it will be. */
  workspace: Workspace;
  /** Makes it so: at once or not at all. */
  commit(): Promise<void>;
}

/** A workspace that nobody else changes meanwhile. */
export interface WorkspaceLease {
  /** As it stands. */
  workspace(): Workspace;
  /** All that is in it. */
  files(): Promise<WorkspaceFile[]>;
  /** Throws `INPUT_INVALID` or `WORKSPACE_FULL` when the result cannot be; nothing is changed then. */
  stage(change: WorkspaceChange): Promise<StagedChange>;
  remove(): Promise<void>;
  /** Gives it to the next. Never rejects; a second time it does nothing. */
  release(): Promise<void>;
}

/** Expiry that is not on the disk yet may be wrong by so much of its span after a crash. */
const spanUnwritten = 0.1;

/** Whether its last use is so much later than the storage knows that it has to be told. */
export function hasDrifted({ current: { usedAt, expiresInMs }, storedUsedAt }: OpenWorkspaceState): boolean {
  return usedAt - storedUsedAt > expiresInMs * spanUnwritten;
}

interface LeaseDeps {
  storage: WorkspaceStorage;
  now(): number;
  sha256(content: Uint8Array): string;
  onRemoved(): void;
}

/** The turn at a workspace that `leave` ends. It is a use of it. */
export function workspaceLease(
  { storage, now, sha256, onRemoved }: LeaseDeps,
  one: OpenWorkspaceState,
  leave: () => void,
): WorkspaceLease {
  const { id } = one.current;
  let [isUntidy, isOver] = [false, false];
  const use = (): void => {
    one.current = { ...one.current, usedAt: now() };
  };
  const write = async (workspace: Workspace): Promise<void> => {
    await storage.write(workspace);
    one.current = workspace;
    one.storedUsedAt = workspace.usedAt;
  };
  const end = async (): Promise<void> => {
    if (one.isGone) return;
    use();
    if (hasDrifted(one)) await write(one.current);
    if (isUntidy) await storage.tidy(one.current);
  };
  use();
  return {
    workspace: () => one.current,
    files: () =>
      Promise.all(
        one.current.files.map(async ({ path, sha256: digest }) => ({
          path,
          content: await storage.read(id, digest),
        })),
      ),
    async stage({ put, drop }) {
      const files = new Map(one.current.files.map((file) => [file.path, file]));
      for (const path of drop) files.delete(path);
      for (const file of put) files.set(file.path, described(file, files.get(file.path), now(), sha256));
      const workspace = {
        ...one.current,
        files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
      };
      checkContents(workspace);
      isUntidy = true;
      await keepNew(storage, one.current, put, files);
      return { workspace, commit: () => write({ ...workspace, usedAt: now() }) };
    },
    async remove() {
      await storage.remove(id);
      one.isGone = true;
      onRemoved();
    },
    async release() {
      if (isOver) return;
      isOver = true;
      // What it leaves behind is removed at the next change, or the next start.
      await end().catch(() => undefined);
      leave();
    },
  };
}

/** A disk makes many things durable in little more time than one. */
const atOnceMax = 16;

/** Keeps the contents that are not there yet, each once. */
async function keepNew(
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
    const kept = await Promise.allSettled(some.map(([digest, content]) => storage.keep(id, digest, content)));
    for (const each of kept) if (each.status === 'rejected') throw each.reason;
  }
}

/** What was put as it was before was not modified. */
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
