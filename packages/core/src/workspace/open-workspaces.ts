import type { Actor } from '../audit/event-parts.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { fairLock } from './fair-lock.ts';
import { type FileContent, partBytes } from './file-content.ts';
import { expiresAt, fileOf, usedBytes, type Workspace } from './workspace.ts';
import {
  applyRecorded,
  hasDrifted,
  type OpenWorkspaceState,
  type WorkspaceLease,
  workspaceLease,
  writeUse,
} from './workspace-lease.ts';
import type { FoundWorkspace, SharedWorkspaces, WorkspaceStorage } from './workspace-storage.ts';
import type { BeforeChange, WorkspaceBounds, WorkspaceOptions, Workspaces } from './workspaces.ts';

/** The dependencies of `openWorkspaces`. */
export interface WorkspacesDeps {
  storage: WorkspaceStorage;
  /** Read for each new workspace, because it can change. Existing workspaces keep theirs. */
  readonly bounds: WorkspaceBounds;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hex. */
  sha256(content: Uint8Array): string;
  newId(): string;
  /** Called for each workspace that expires. */
  beforeExpiry: BeforeChange;
}

/** Runs that wait for one workspace. Each may take its whole time limit. */
const waitingMax = 16;
/** What a new workspace contains. */
const nothing = { files: [], links: [], folders: [] };
/** How long a sweep waits for another node. */
const sweepWaitMs = 100;

/** Opens the workspaces that a storage has loaded. */
export function openWorkspaces(deps: WorkspacesDeps, stored: readonly Workspace[]): Workspaces {
  const { storage, now, sha256, newId, beforeExpiry } = deps;
  const { shared } = storage;
  const open = new Map<string, OpenWorkspaceState>();
  const making = new Map<Actor, number>();
  const growing = new Map<string, number>();
  const opened = (current: Workspace): OpenWorkspaceState => ({
    current,
    storedUsedAt: current.usedAt,
    isGone: false,
    recorded: undefined,
    isHeld: false,
    lock: fairLock(waitingMax),
  });
  for (const workspace of stored) open.set(workspace.id, opened(workspace));

  const isOver = ({ current, isGone, lock: { isIdle } }: OpenWorkspaceState): boolean =>
    isGone || (isIdle() && expiresAt(current) <= now());
  const find = (owner: Actor, id: string): OpenWorkspaceState => {
    const entry = open.get(id);
    if (entry === undefined || entry.current.owner !== owner || isOver(entry)) throw notFound(id);
    return entry;
  };
  const list = (owner: Actor): Workspace[] =>
    [...open.values()]
      .filter((entry) => entry.current.owner === owner && !isOver(entry))
      .map(({ current }) => current)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  /** Takes over what another node has stored; `undefined`: it was removed. */
  const refresh = (id: string, found: FoundWorkspace | undefined): void => {
    const entry = open.get(id);
    if (entry === undefined) {
      if (found !== undefined) open.set(id, opened(found.record));
      return;
    }
    if (entry.isHeld || entry.recorded !== undefined) {
      // Until this node drops it, nothing newer exists. It may have lost it with its lease.
      if (found?.isHeld || !entry.lock.isIdle()) return;
      entry.isHeld = false;
      entry.recorded = undefined;
    }
    replace(entry, id, found?.record);
  };
  const replace = (entry: OpenWorkspaceState, id: string, record: Workspace | undefined): void => {
    if (record === undefined) {
      entry.isGone = true;
      open.delete(id);
      return;
    }
    entry.isGone = false;
    entry.current = { ...record, usedAt: Math.max(record.usedAt, entry.current.usedAt) };
    entry.storedUsedAt = record.usedAt;
  };
  const refreshOne = async (from: SharedWorkspaces, id: string): Promise<void> =>
    refresh(id, await from.find(id));
  const refreshAll = async (from: SharedWorkspaces, owner: Actor): Promise<void> => {
    const found = new Map((await from.listOf(owner)).map((each) => [each.record.id, each]));
    for (const [id, { current }] of [...open]) if (current.owner === owner) refresh(id, found.get(id));
    for (const [id, each] of found) if (!open.has(id)) refresh(id, each);
  };
  /** Resolves to a function that lets others have it, or to `undefined` if `signal` aborts first. */
  const take = async (
    entry: OpenWorkspaceState,
    id: string,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> => {
    const leave = await entry.lock.acquire(signal);
    if (leave === undefined || shared === undefined) return leave && (async () => leave());
    try {
      const held = await shared.hold(id, signal);
      if (held === undefined) {
        leave();
        return undefined;
      }
      // The log has it, but another node may have changed the workspace since: it is lost.
      if (!held.isKept) entry.recorded = undefined;
      if (entry.recorded === undefined) replace(entry, id, held.record ?? undefined);
      entry.isHeld = !entry.isGone;
    } catch (error) {
      // The answer may have been lost. Then a sweep drops it.
      entry.isHeld = true;
      leave();
      throw error;
    }
    return () => letGo(entry, id, leave);
  };
  const letGo = async (entry: OpenWorkspaceState, id: string, leave: () => void): Promise<void> => {
    // Kept while the log has a change that is not stored.
    if (entry.isHeld && entry.recorded === undefined)
      await shared?.drop(id).then(
        () => (entry.isHeld = false),
        () => undefined, // a sweep repeats it
      );
    leave();
  };
  const enter = async (
    entry: OpenWorkspaceState,
    id: string,
    signal: AbortSignal,
  ): Promise<WorkspaceLease | undefined> => {
    const leave = await take(entry, id, signal);
    if (leave === undefined) return undefined;
    try {
      if (entry.isGone) throw notFound(id);
      await applyRecorded(storage, entry);
    } catch (error) {
      await leave();
      throw error;
    }
    return workspaceLease(
      { storage, now, sha256, bounds: () => deps.bounds, growing, onRemoved: () => open.delete(id) },
      entry,
      leave,
    );
  };

  const expire = async (entry: OpenWorkspaceState): Promise<void> => {
    // It can no longer be found.
    entry.isGone = true;
    try {
      await beforeExpiry(entry.current);
      entry.recorded = null;
    } catch (error) {
      entry.isGone = false;
      throw error;
    }
  };

  /** Holding each workspace would be expensive where other nodes use them too. */
  const needsSweep = (entry: OpenWorkspaceState): boolean =>
    shared === undefined ||
    entry.isHeld ||
    entry.recorded !== undefined ||
    expiresAt(entry.current) <= now() ||
    hasDrifted(entry);
  const sweep = async (some: readonly (readonly [string, OpenWorkspaceState])[]): Promise<void> => {
    const faults: unknown[] = [];
    for (const [id, entry] of some) {
      if (!entry.lock.isIdle() || !needsSweep(entry)) continue;
      let leave: (() => Promise<void>) | undefined;
      try {
        leave = await take(entry, id, AbortSignal.timeout(sweepWaitMs));
        if (leave === undefined) continue;
        if (!entry.isGone && expiresAt(entry.current) <= now()) await expire(entry);
        await applyRecorded(storage, entry);
        if (entry.isGone) open.delete(id);
        else if (hasDrifted(entry)) await writeUse(storage, entry);
      } catch (error) {
        // A failure does not stop the others from being removed.
        faults.push(error);
      } finally {
        await leave?.();
      }
    }
    if (faults.length > 0) throw faults[0];
  };
  /** Includes workspaces that can no longer be found: they count until they are removed. */
  const allOf = (owner: Actor): (readonly [string, OpenWorkspaceState])[] =>
    [...open].filter(([, { current }]) => current.owner === owner);
  const hasRoom = (owner: Actor): boolean =>
    allOf(owner).length + (making.get(owner) ?? 0) < deps.bounds.countMax;

  return {
    async list(owner) {
      if (shared !== undefined) await refreshAll(shared, owner);
      return list(owner);
    },
    async get(owner, id) {
      if (shared !== undefined) await refreshOne(shared, id);
      return find(owner, id).current;
    },
    async create(owner, options, before) {
      const { bounds } = deps;
      const settings = withDefaults(bounds, options);
      if (shared !== undefined) await refreshAll(shared, owner);
      if (!hasRoom(owner)) await sweep(allOf(owner));
      if (!hasRoom(owner)) throw tooMany(bounds.countMax);
      const time = now();
      const workspace: Workspace = {
        ...settings,
        ...nothing,
        id: newId(),
        owner,
        createdAt: time,
        usedAt: time,
      };
      making.set(owner, (making.get(owner) ?? 0) + 1);
      try {
        await before(workspace);
        const entry = { ...opened(workspace), recorded: workspace, isHeld: shared !== undefined };
        // Free, so this waits for nothing.
        const leave = shared && (await entry.lock.acquire(new AbortController().signal));
        open.set(workspace.id, entry);
        try {
          await applyRecorded(storage, entry);
        } finally {
          if (leave !== undefined) await letGo(entry, workspace.id, leave);
        }
        return workspace;
      } finally {
        making.set(owner, (making.get(owner) ?? 1) - 1);
      }
    },
    async read(owner, id, path) {
      if (shared !== undefined) await refreshOne(shared, id);
      const entry = find(owner, id);
      entry.current = { ...entry.current, usedAt: now() };
      // The contents of what is recorded are stored. An earlier reader may have seen them, so no later one goes back.
      for (let file = fileOf(entry.recorded ?? entry.current, path); ; ) {
        try {
          return { file, content: await withFirstPart(storage.content(id, file)) };
        } catch (error) {
          // A call may have replaced it meanwhile, or is replacing it.
          if (shared !== undefined) await refreshOne(shared, id);
          const { current, recorded } = find(owner, id);
          const later = fileOf(recorded ?? current, path);
          if (later.sha256 === file.sha256) throw error;
          file = later;
        }
      }
    },
    async enter(owner, id, signal) {
      if (shared !== undefined) await refreshOne(shared, id);
      return enter(find(owner, id), id, signal);
    },
    sweep: () => sweep([...open]),
    load() {
      const entries = [...open.values()];
      return {
        workspaces: entries.length,
        bytes: entries.reduce((sum, { current }) => sum + usedBytes(current), 0),
        waiting: entries.reduce((sum, { lock: { waiting } }) => sum + waiting(), 0),
      };
    },
  };
}

/** The same content with its first part in memory: all of it, if it is small. */
async function withFirstPart(content: FileContent): Promise<FileContent> {
  let first = new Uint8Array();
  for await (const part of content.parts(0, partBytes)) first = Uint8Array.from(part);
  return {
    length: content.length,
    sha256: content.sha256,
    async *parts(start = 0, end = content.length) {
      if (end <= first.length) yield first.subarray(start, end);
      else yield* content.parts(start, end);
    },
  };
}

function withDefaults(
  bounds: WorkspaceBounds,
  { quotaBytes = bounds.quotaBytes, expiresInMs = bounds.expiresAfterMs, label }: WorkspaceOptions,
): Pick<Workspace, 'quotaBytes' | 'expiresInMs' | 'label'> {
  if (quotaBytes > bounds.quotaBytesMax)
    throw new SkillError(
      'INPUT_INVALID',
      `the quota of a workspace is at most ${bounds.quotaBytesMax} bytes, set by workspaces.maxQuotaBytes; request less`,
    );
  if (expiresInMs > bounds.expiresAfterMsMax)
    throw new SkillError(
      'INPUT_INVALID',
      `a workspace expires at most ${bounds.expiresAfterMsMax / 1000} seconds after its last use; request less`,
    );
  return { quotaBytes, expiresInMs, label: label ?? null };
}

function notFound(id: string): SkillError {
  return new SkillError(
    'WORKSPACE_NOT_FOUND',
    `workspace ${JSON.stringify(id.slice(0, 200))} does not exist, has expired or belongs to another key`,
  );
}

function tooMany(max: number): SkillError {
  return new SkillError(
    'WORKSPACE_LIMIT',
    `workspace limit reached: this key has ${max}; delete one, or raise workspaces.maxPerKey`,
  );
}
