import { setTimeout as delay } from 'node:timers/promises';
import type { Catalog } from '@ambit/core';
import { skillNamed, whenKnown } from '@ambit/core/internal';
import { settledSignature } from './folder/load-skill-folder.ts';
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
 * Scanning a thousand skills takes longer than this, so waiting for more callers to share a scan
 * pays off.
 */
const gatherMsMax = 5;

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
 */
export function folderCatalog(roots: readonly SkillRoot[]): FolderCatalog {
  const scanner = scannerFor(roots);
  let layout: Layout = { folders: [], problems: [], complete: true };
  let known: ReadonlyMap<string, ReadFolderState> = new Map();
  let snapshot: Snapshot = emptySnapshot;
  /** Of folders that were read since the last survey. */
  let signatures: string[] = [];

  const scan = async (): Promise<Snapshot> => {
    const survey = await scanner.survey(signatures);
    signatures = [];
    layout = survey.layout ?? layout;
    const stale = new Set(survey.stale);
    const originOf = (from: number): Origin => roots[from] ?? { tier: 'untrusted' };
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
    snapshot = snapshotOf(layout, known, snapshot, (from) => roots[from]?.discovered === true);
    return snapshot;
  };

  const scans = nextRun(scan, (tookMs) => delay(Math.min(tookMs / 4, gatherMsMax)));
  const isCurrent = freshness();
  const scanned = async (id: string) => {
    const { skills, list, broken } = await scans.next();
    return skills.get(id)?.skill ?? skillNamed(id, { skills: list, broken });
  };
  return {
    find(id) {
      const cached = snapshot.skills.get(id);
      if (cached === undefined) return scanned(id);
      return whenKnown(isCurrent(cached), (still) => (still ? cached.skill : scanned(id)));
    },
    list: async () => (await scans.next()).list,
    broken: async () => (await scans.next()).broken,
    close: () => scans.idle().then(scanner.close),
  };
}
