import type { Actor } from '../audit/event-parts.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { fairLock } from './fair-lock.ts';
import { expiresAt, type Workspace } from './workspace.ts';
import type { OpenWorkspaceState } from './workspace-lease.ts';
import type { FoundWorkspace, SharedWorkspaces } from './workspace-storage.ts';

/** The workspaces that this node knows. If others share the storage, `refresh…` brings in their changes. */
export interface KnownWorkspaces {
  all(): readonly OpenWorkspaceState[];
  /** Includes workspaces that can no longer be found: they count until they are removed. */
  allOf(owner: Actor): readonly OpenWorkspaceState[];
  /** The workspaces of an owner that can be found, oldest first. */
  list(owner: Actor): Workspace[];
  /** Throws `WORKSPACE_NOT_FOUND`. */
  find(owner: Actor, id: string): OpenWorkspaceState;
  add(workspace: Workspace, state?: Partial<OpenWorkspaceState>): OpenWorkspaceState;
  remove(id: string): void;
  /** Takes over a stored record; `undefined`: it was removed. */
  replace(entry: OpenWorkspaceState, record: Workspace | undefined): void;
  refreshOne(id: string): Promise<void>;
  refreshAll(owner: Actor): Promise<void>;
}

/** Runs that wait for one workspace. Each may take its whole time limit. */
const waitingMax = 16;

export function knownWorkspaces(
  stored: readonly Workspace[],
  shared: SharedWorkspaces | undefined,
  now: () => number,
): KnownWorkspaces {
  const known = new Map<string, OpenWorkspaceState>();
  const add: KnownWorkspaces['add'] = (current, state = {}) => {
    const entry = {
      current,
      storedUsedAt: current.usedAt,
      isGone: false,
      recorded: undefined,
      isHeld: false,
      lock: fairLock(waitingMax),
      ...state,
    };
    known.set(current.id, entry);
    return entry;
  };
  for (const workspace of stored) add(workspace);

  const isOver = ({ current, isGone, lock: { isIdle } }: OpenWorkspaceState): boolean =>
    isGone || (isIdle() && expiresAt(current) <= now());
  const allOf = (owner: Actor): OpenWorkspaceState[] =>
    [...known.values()].filter(({ current }) => current.owner === owner);
  const replace = (entry: OpenWorkspaceState, record: Workspace | undefined): void => {
    if (record === undefined) {
      entry.isGone = true;
      known.delete(entry.current.id);
      return;
    }
    entry.isGone = false;
    entry.current = { ...record, usedAt: Math.max(record.usedAt, entry.current.usedAt) };
    entry.storedUsedAt = record.usedAt;
  };
  const refresh = (id: string, found: FoundWorkspace | undefined): void => {
    const entry = known.get(id);
    if (entry === undefined) {
      if (found !== undefined) add(found.record);
      return;
    }
    if (entry.isHeld || entry.recorded !== undefined) {
      // Until this node drops it, nothing newer exists. It may have lost it with its lease.
      if (found?.isHeld || !entry.lock.isIdle()) return;
      entry.isHeld = false;
      entry.recorded = undefined;
    }
    replace(entry, found?.record);
  };
  return {
    all: () => [...known.values()],
    allOf,
    list: (owner) =>
      allOf(owner)
        .filter((entry) => !isOver(entry))
        .map(({ current }) => current)
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    find(owner, id) {
      const entry = known.get(id);
      if (entry === undefined || entry.current.owner !== owner || isOver(entry)) throw notFound(id);
      return entry;
    },
    add,
    remove: (id) => void known.delete(id),
    replace,
    async refreshOne(id) {
      if (shared !== undefined) refresh(id, await shared.find(id));
    },
    async refreshAll(owner) {
      if (shared === undefined) return;
      const found = new Map((await shared.listOf(owner)).map((each) => [each.record.id, each]));
      for (const { current } of allOf(owner)) refresh(current.id, found.get(current.id));
      for (const [id, each] of found) if (!known.has(id)) refresh(id, each);
    },
  };
}

export function notFound(id: string): SkillError {
  return new SkillError(
    'WORKSPACE_NOT_FOUND',
    `workspace ${JSON.stringify(id.slice(0, 200))} does not exist, has expired or belongs to another key`,
  );
}
