import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor } from '../audit/event-parts.ts';
import { digestOf, type FileContent } from './file-content.ts';
import {
  contentsDigest,
  expiresAt,
  fileOf,
  type StoredFile,
  usedBytes,
  type Workspace,
} from './workspace.ts';
import type { WorkspaceEntry, WorkspaceFile } from './workspace-file.ts';
import type { WorkspaceLease } from './workspace-lease.ts';
import type { WorkspaceOptions, Workspaces } from './workspaces.ts';

/** The path of a change to many files. No file has it. */
const wholeWorkspace = '/';

/**
 * Throws if the file is not in the state that the caller expects. `undefined`: the file does not
 * exist.
 */
export type Precondition = (current: StoredFile | undefined) => void;

/** The operations of an actor on its workspaces. Each change is logged before it is made. */
export interface OwnWorkspaces {
  list(): Promise<readonly Workspace[]>;
  get(id: string): Promise<Workspace>;
  create(options: WorkspaceOptions): Promise<Workspace>;
  /** Changes wait for running calls. Rejects with the signal's reason if it aborts first. */
  remove(id: string, signal: AbortSignal): Promise<void>;
  read(id: string, path: string): Promise<{ file: StoredFile; content: FileContent }>;
  put(
    id: string,
    file: WorkspaceFile,
    precondition: Precondition,
    signal: AbortSignal,
  ): Promise<{ file: StoredFile; isNew: boolean }>;
  /** Adds or replaces all of these entries in one step. */
  putAll(id: string, entries: readonly WorkspaceEntry[], signal: AbortSignal): Promise<Workspace>;
  /**
   * Replaces a file by what `make` returns for its bytes, atomically. If `make` rejects, nothing
   * changes.
   */
  rewrite(
    id: string,
    path: string,
    make: (content: FileContent) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<StoredFile>;
  drop(id: string, path: string, precondition: Precondition, signal: AbortSignal): Promise<void>;
}

/** The dependencies of `ownWorkspaces`. */
interface OwnWorkspacesDeps {
  audit: Pick<AuditLog, 'append'>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hex. */
  sha256(content: Uint8Array): string;
}

/** The workspaces of `owner`. */
export function ownWorkspaces(
  { audit, now, sha256 }: OwnWorkspacesDeps,
  workspaces: Workspaces,
  owner: Actor,
): OwnWorkspaces {
  const withLease = async <T>(
    id: string,
    signal: AbortSignal,
    act: (lease: WorkspaceLease) => Promise<T>,
  ): Promise<T> => {
    const lease = await workspaces.enter(owner, id, signal);
    if (lease === undefined) throw signal.reason;
    try {
      return await act(lease);
    } finally {
      await lease.release();
    }
  };
  const eventBase = (id: string) => ({ time: now(), workspace: id, actor: owner });
  const write = async (lease: WorkspaceLease, id: string, file: WorkspaceFile): Promise<StoredFile> => {
    const { path, content } = file;
    const { workspace, commit } = await lease.stage({ put: [file], drop: [] });
    const digest = { digest: `sha256:${digestOf(content, sha256)}`, bytes: content.length };
    await audit.append({ kind: 'workspace.written', ...eventBase(id), path, content: digest });
    await commit();
    return fileOf(workspace, path);
  };

  return {
    list: () => workspaces.list(owner),
    get: (id) => workspaces.get(owner, id),
    create: (options) =>
      workspaces.create(owner, options, (workspace) =>
        audit.append({
          kind: 'workspace.created',
          ...eventBase(workspace.id),
          quotaBytes: workspace.quotaBytes,
          expiresAt: expiresAt(workspace),
        }),
      ),
    remove: (id, signal) =>
      withLease(id, signal, async (lease) => {
        await audit.append({ kind: 'workspace.deleted', ...eventBase(id) });
        await lease.remove();
      }),
    read: async (id, path) => workspaces.read(owner, id, path),
    put: (id, file, precondition, signal) =>
      withLease(id, signal, async (lease) => {
        const before = lease.workspace().files.find(({ path }) => path === file.path);
        precondition(before);
        const kept = before?.executable ? { ...file, executable: before.executable } : file;
        return { file: await write(lease, id, kept), isNew: before === undefined };
      }),
    putAll: (id, entries, signal) =>
      withLease(id, signal, async (lease) => {
        const { workspace, commit } = await lease.stage({ put: entries, drop: [] });
        const content = {
          digest: `sha256:${contentsDigest(workspace, sha256)}`,
          bytes: usedBytes(workspace),
        };
        await audit.append({ kind: 'workspace.written', ...eventBase(id), path: wholeWorkspace, content });
        await commit();
        return workspace;
      }),
    rewrite: (id, path, make, signal) =>
      withLease(id, signal, async (lease) => {
        const { file, content } = await workspaces.read(owner, id, path);
        const made = { path, content: await make(content) };
        return write(lease, id, file.executable ? { ...made, executable: file.executable } : made);
      }),
    drop: (id, path, precondition, signal) =>
      withLease(id, signal, async (lease) => {
        precondition(lease.workspace().files.find((each) => each.path === path));
        fileOf(lease.workspace(), path);
        const { commit } = await lease.stage({ put: [], drop: [path] });
        await audit.append({ kind: 'workspace.written', ...eventBase(id), path, content: null });
        await commit();
      }),
  };
}
