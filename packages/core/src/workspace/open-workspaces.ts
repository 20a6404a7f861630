import type { Actor } from '../audit/event-parts.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { type FileContent, partBytes } from './file-content.ts';
import { type KnownWorkspaces, knownWorkspaces, notFound } from './known-workspaces.ts';
import { expiresAt, fileOf, usedBytes, type Workspace } from './workspace.ts';
import { type LetGo, type WorkspaceHolder, workspaceHolder } from './workspace-holder.ts';
import {
  applyRecorded,
  hasDrifted,
  type OpenWorkspaceState,
  workspaceLease,
  writeUse,
} from './workspace-lease.ts';
import type { WorkspaceStorage } from './workspace-storage.ts';
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

/** The contents of a new workspace. */
const nothing = { files: [], links: [], folders: [] };
/** The time that a sweep waits for another node. */
const sweepWaitMs = 100;

/** Opens the workspaces that a storage has loaded. */
export function openWorkspaces(deps: WorkspacesDeps, stored: readonly Workspace[]): Workspaces {
  const { storage, now, sha256 } = deps;
  const known = knownWorkspaces(stored, storage.shared, now);
  const holder = workspaceHolder(known, storage.shared);
  const growing = new Map<string, number>();
  return {
    async list(owner) {
      await known.refreshAll(owner);
      return known.list(owner);
    },
    async get(owner, id) {
      await known.refreshOne(id);
      return known.find(owner, id).current;
    },
    create: workspaceMaker(deps, known, holder),
    read: (owner, id, path) => readFile(deps, known, owner, id, path),
    async enter(owner, id, signal) {
      // Without other nodes the call queues now, so it also waits for a workspace that is then removed.
      if (storage.shared !== undefined) await known.refreshOne(id);
      const entry = known.find(owner, id);
      const leave = await holder.take(entry, signal);
      if (leave === undefined) return undefined;
      try {
        if (entry.isGone) throw notFound(id);
        await applyRecorded(storage, entry);
      } catch (error) {
        await leave();
        throw error;
      }
      return workspaceLease(
        { storage, now, sha256, bounds: () => deps.bounds, growing, onRemoved: () => known.remove(id) },
        entry,
        leave,
      );
    },
    sweep: () => sweep(deps, known, holder, known.all()),
    load() {
      const entries = known.all();
      return {
        workspaces: entries.length,
        bytes: entries.reduce((sum, { current }) => sum + usedBytes(current), 0),
        waiting: entries.reduce((sum, { lock: { waiting } }) => sum + waiting(), 0),
      };
    },
  };
}

function workspaceMaker(
  deps: WorkspacesDeps,
  known: KnownWorkspaces,
  holder: WorkspaceHolder,
): Workspaces['create'] {
  const { storage, now, newId } = deps;
  const making = new Map<Actor, number>();
  const hasRoom = (owner: Actor): boolean =>
    known.allOf(owner).length + (making.get(owner) ?? 0) < deps.bounds.countMax;
  return async (owner, options, before) => {
    const { bounds } = deps;
    const settings = withDefaults(bounds, options);
    await known.refreshAll(owner);
    if (!hasRoom(owner)) await sweep(deps, known, holder, known.allOf(owner));
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
      const isShared = storage.shared !== undefined;
      const entry = known.add(workspace, { recorded: workspace, isHeld: isShared });
      const leave = isShared ? await holder.takeNew(entry) : undefined;
      try {
        await applyRecorded(storage, entry);
      } finally {
        await leave?.();
      }
      return workspace;
    } finally {
      making.set(owner, (making.get(owner) ?? 1) - 1);
    }
  };
}

async function readFile(
  { storage, now }: WorkspacesDeps,
  known: KnownWorkspaces,
  owner: Actor,
  id: string,
  path: string,
): ReturnType<Workspaces['read']> {
  await known.refreshOne(id);
  const entry = known.find(owner, id);
  entry.current = { ...entry.current, usedAt: now() };
  // The contents of what is recorded are stored. An earlier reader may have seen them, so no later one goes back.
  for (let file = fileOf(entry.recorded ?? entry.current, path); ; ) {
    try {
      return { file, content: await withFirstPart(storage.content(id, file)) };
    } catch (error) {
      // A call may have replaced it meanwhile, or is replacing it.
      await known.refreshOne(id);
      const { current, recorded } = known.find(owner, id);
      const later = fileOf(recorded ?? current, path);
      if (later.sha256 === file.sha256) throw error;
      file = later;
    }
  }
}

/** Removes what has expired, and stores what is not stored yet. */
async function sweep(
  { storage, now, beforeExpiry }: WorkspacesDeps,
  known: KnownWorkspaces,
  holder: WorkspaceHolder,
  entries: readonly OpenWorkspaceState[],
): Promise<void> {
  const hasExpired = (entry: OpenWorkspaceState): boolean => expiresAt(entry.current) <= now();
  /** Holding each workspace would be expensive where other nodes use them too. */
  const needsSweep = (entry: OpenWorkspaceState): boolean =>
    storage.shared === undefined ||
    entry.isHeld ||
    entry.recorded !== undefined ||
    hasExpired(entry) ||
    hasDrifted(entry);
  const faults: unknown[] = [];
  for (const entry of entries) {
    if (!entry.lock.isIdle() || !needsSweep(entry)) continue;
    let leave: LetGo | undefined;
    try {
      leave = await holder.take(entry, AbortSignal.timeout(sweepWaitMs));
      if (leave === undefined) continue;
      if (!entry.isGone && hasExpired(entry)) await expire(entry, beforeExpiry);
      await applyRecorded(storage, entry);
      if (entry.isGone) known.remove(entry.current.id);
      else if (hasDrifted(entry)) await writeUse(storage, entry);
    } catch (error) {
      // A failure does not stop the others from being removed.
      faults.push(error);
    } finally {
      await leave?.();
    }
  }
  if (faults.length > 0) throw faults[0];
}

async function expire(entry: OpenWorkspaceState, beforeExpiry: BeforeChange): Promise<void> {
  // It can no longer be found.
  entry.isGone = true;
  try {
    await beforeExpiry(entry.current);
    entry.recorded = null;
  } catch (error) {
    entry.isGone = false;
    throw error;
  }
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

function tooMany(max: number): SkillError {
  return new SkillError(
    'WORKSPACE_LIMIT',
    `workspace limit reached: this key has ${max}; delete one, or raise workspaces.maxPerKey`,
  );
}
