import { setTimeout as delay, setImmediate as nextImmediate } from 'node:timers/promises';
import type { Catalog } from '@ambit/core';
import { skillNamed } from '@ambit/core/skill';
import { readSkillCache, type SkillCacheOptions, writeSkillCache } from './cache/skill-cache.ts';
import { settledSignature } from './folder/load-skill-folder.ts';
import type { ReadSkill } from './folder/read-skill-folder.ts';
import { freshness } from './freshness.ts';
import { nextRun } from './next-run.ts';
import type { Layout } from './scan/find-skill-folders.ts';
import { scannerFor } from './scan/scanner-for.ts';
import type { SkillRoot } from './scan/skill-root.ts';
import {
  emptySnapshot,
  isSameOrigin,
  type Origin,
  type ReadFolderState,
  reuseIfSame,
  type Snapshot,
  snapshotOf,
  stateOf,
} from './snapshot.ts';

/**
 * The longest wait for more callers of a scan. Scanning a thousand skills takes about as long, so it
 * pays off to share one.
 */
const gatherMsMax = 20;

/** By then a start has done its other work. Edits within this time share one write. */
const storeAfterMs = 2000;

/** A catalog over folders. Closing it ends its worker threads. */
export interface FolderCatalog extends Catalog {
  close(): Promise<void>;
}

/**
 * A catalog over the skill folders below `roots`, down to four levels. If two skills have the same
 * id, the one from the earlier root is used, configured roots before discovered ones. The other
 * is reported.
 *
 * An edit takes effect at the next call: each call checks the times of every folder and file,
 * because file watchers report late or not at all. An unchanged folder is not read again. Above a
 * few hundred folders, worker threads do both; they do not keep the process alive.
 *
 * With `cache`, skills that an earlier process read are not read again until their folder changes, and
 * skills that this process reads are stored for the next. Absent: all are read.
 */
export function folderCatalog(roots: readonly SkillRoot[], cache?: SkillCacheOptions): FolderCatalog {
  const scanner = scannerFor(roots);
  let layout: Layout = { folders: [], problems: [], complete: true };
  let known: ReadonlyMap<string, ReadFolderState> = new Map();
  let snapshot: Snapshot = emptySnapshot;
  /** The signatures of folders that were read since the last survey. */
  let signatures: readonly string[] = [];
  let reading = cache && readSkillCache(cache);
  const storing = cache && storedLater(cache, () => known.values());

  const scan = async (): Promise<Snapshot> => {
    const stored = await reading;
    reading = undefined;
    const [survey, storedSkills] = await Promise.all([
      scanner.survey(stored?.signatures ?? signatures),
      stored?.skills().catch(() => undefined),
    ]);
    signatures = [];
    layout = survey.layout ?? layout;
    const stale = new Set(survey.stale);
    const originOf = (from: number): Origin => roots[from] ?? { tier: 'untrusted' };
    if (storedSkills !== undefined) known = unchangedOf(layout, stale, storedSkills, originOf);
    const wanted = layout.folders
      .filter(({ root, from }) => stale.has(root) || !isSameOrigin(originOf(from), known.get(root)))
      .map(({ root, from }) => ({ root, tier: originOf(from).tier }));
    if (wanted.length === 0 && survey.layout === undefined) return snapshot;

    const loaded = await scanner.read(wanted);
    signatures = loaded.map(settledSignature).filter((signature) => signature !== undefined);
    const fresh = new Map(loaded.map((each, at) => [wanted[at]?.root, each]));
    const next = new Map<string, ReadFolderState>();
    for (const { root, from } of layout.folders) {
      const [before, now] = [known.get(root), fresh.get(root)];
      if (now !== undefined) next.set(root, reuseIfSame(stateOf(now, originOf(from)), before));
      else if (before !== undefined) next.set(root, before);
    }
    known = next;
    if (loaded.length > 0) storing?.soon();
    snapshot = snapshotOf(layout, known, snapshot, (from) => roots[from]?.discovered === true);
    return snapshot;
  };

  const scans = nextRun(scan, gathered);
  const isCurrent = freshness();
  const scanned = async (id: string) => {
    const { skills, list, broken } = await scans.next();
    return skills.get(id)?.skill ?? skillNamed(id, { skills: list, broken });
  };
  return {
    async find(id) {
      const cached = snapshot.skills.get(id);
      return cached !== undefined && (await isCurrent(cached)) ? cached.skill : scanned(id);
    },
    list: async () => (await scans.next()).list,
    broken: async () => (await scans.next()).broken,
    async close() {
      await scans.idle();
      await Promise.all([scanner.close(), storing?.close()]);
    },
  };
}

async function gathered(tookMs: number, everyone: Promise<void>): Promise<void> {
  // A busy thread handles timers before it reads the requests that have arrived.
  const waited = delay(Math.min(tookMs, gatherMsMax)).then(() => nextImmediate());
  await Promise.race([everyone, waited]);
}

/** The stored skills whose folders are unchanged, by root, as skills of the root that they are in now. */
function unchangedOf(
  { folders }: Layout,
  stale: ReadonlySet<string>,
  stored: ReadonlyMap<string, ReadSkill>,
  originOf: (from: number) => Origin,
): ReadonlyMap<string, ReadFolderState> {
  const unchanged = new Map<string, ReadFolderState>();
  for (const { root, from } of folders) {
    const read = stale.has(root) ? undefined : stored.get(root);
    if (read === undefined) continue;
    const origin = originOf(from);
    read.skill.tier = origin.tier;
    unchanged.set(root, stateOf({ read }, origin));
  }
  return unchanged;
}

/** Stores the skills some time after a change, one write at a time. The next change retries a failed write. */
function storedLater(
  cache: SkillCacheOptions,
  known: () => Iterable<ReadFolderState>,
): { soon(): void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const write = (): void => {
    timer = undefined;
    writing = writing.then(() => writeSkillCache(cache, readOf(known()))).catch(() => undefined);
  };
  return {
    soon() {
      timer ??= setTimeout(write, storeAfterMs).unref();
    },
    close() {
      clearTimeout(timer);
      return writing;
    },
  };
}

function* readOf(states: Iterable<ReadFolderState>): Iterable<ReadSkill> {
  for (const { asRead } of states) if (asRead !== undefined) yield asRead;
}
