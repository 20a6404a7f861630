import type { Actor } from '../audit/audit-event.ts';
import type { StoredFile, Workspace } from './workspace.ts';
import type { WorkspaceLease } from './workspace-lease.ts';

/** How many workspaces there may be, of what size and for how long. */
export interface WorkspaceBounds {
  /** Of one owner. */
  countMax: number;
  /** Where a wish names none, and the most that it can name. */
  quotaBytes: number;
  quotaBytesMax: number;
  /** After the last use; where a wish names none, and the most that it can name. */
  expiresAfterMs: number;
  expiresAfterMsMax: number;
}

/** What somebody asks of a new workspace; absent: as the bounds have it. */
export interface WorkspaceOptions {
  quotaBytes?: number | undefined;
  expiresInMs?: number | undefined;
  label?: string | undefined;
}

/** Is told what is about to be, and durable before it is; what it throws keeps it from being. */
export type BeforeChange = (workspace: Workspace) => Promise<unknown>;

/**
 * Workspaces that live across calls. Whoever names one that is not its own gets `WORKSPACE_NOT_FOUND`, as for one that is
 * not there.
 */
export interface Workspaces {
  /** Oldest first. */
  list(owner: Actor): readonly Workspace[];
  get(owner: Actor, id: string): Workspace;
  /**
   * Throws `WORKSPACE_LIMIT` when the owner has as many as may be, and `INPUT_INVALID` for a wish beyond the bounds. Those
   * that have expired count until they are removed, which is done here where they are in the way.
   */
  create(owner: Actor, wish: WorkspaceOptions, before: BeforeChange): Promise<Workspace>;
  /** A file as it was last kept, whoever has the turn. Throws `WORKSPACE_FILE_NOT_FOUND`. It is a use. */
  read(owner: Actor, id: string, path: string): Promise<{ file: StoredFile; content: Uint8Array }>;
  /**
   * Waits for the workspace to be free; `undefined` when `signal` aborts first. Throws `WORKSPACE_BUSY` when too many wait.
   */
  enter(owner: Actor, id: string, signal: AbortSignal): Promise<WorkspaceLease | undefined>;
  /**
   * Removes those that nobody has used for too long; not one that is in use. Rejects, when all were looked at, with what
   * `beforeExpiry` or the storage did first.
   */
  sweep(): Promise<void>;
  load(): WorkspacesLoad;
}

/** How many there are of all owners, and how busy they are. */
export interface WorkspacesLoad {
  workspaces: number;
  /** The contents of all their files together. */
  bytes: number;
  /** Calls, puts and deletes that wait for one. */
  waiting: number;
}
