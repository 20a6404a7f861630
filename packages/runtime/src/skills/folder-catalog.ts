import { setTimeout as delay } from 'node:timers/promises';
import type { Catalog } from '@ambit/core';
import { freshness } from './freshness.ts';
import { nextRun } from './next-run.ts';
import type { Layout } from './scan/find-skill-folders.ts';
import { scannerFor } from './scan/scanner-for.ts';
import type { SkillRoot } from './skill-root.ts';
import { emptySnapshot, type ReadFolderState, reuseIfSame, type Snapshot, snapshotOf } from './snapshot.ts';

/** A scan of a thousand skills takes longer than this, and one for all who ask at a time is what many can share. */
const companyMsMax = 5;

/** A catalog over folders; closing it ends the threads that it may have. */
export interface FolderCatalog extends Catalog {
  close(): Promise<void>;
}

/**
 * A catalog over the skill folders below `roots`, down to four levels. Of two skills with one name that of the earlier
 * root stands, configured ones before discovered ones, and the other is reported.
 *
 * An edit shows at the next call: each call looks at every folder's and file's times anew, since what watching tells
 * comes late or never. Nothing is read again while its folder is as it was. Beyond some hundred folders both are done in
 * threads, which do not keep the process alive.
 */
export function folderCatalog(roots: readonly SkillRoot[]): FolderCatalog {
  const scanner = scannerFor(roots);
  let layout: Layout = { folders: [], problems: [], complete: true };
  let known: ReadonlyMap<string, ReadFolderState> = new Map();
  let snapshot: Snapshot = emptySnapshot;

  const scan = async (): Promise<Snapshot> => {
    const survey = await scanner.survey();
    layout = survey.layout ?? layout;
    const stale = new Set(survey.stale);
    const tierOf = (from: number) => roots[from]?.tier ?? 'untrusted';
    const wanted = layout.folders
      .map(({ root, from }) => ({ root, tier: tierOf(from) }))
      .filter(({ root, tier }) => stale.has(root) || known.get(root)?.tier !== tier);
    if (wanted.length === 0 && survey.layout === undefined) return snapshot;

    const loaded = await scanner.read(wanted);
    const fresh = new Map(loaded.map((each, at) => [wanted[at]?.root, each]));
    const next = new Map<string, ReadFolderState>();
    for (const { root, from } of layout.folders) {
      const [before, now] = [known.get(root), fresh.get(root)];
      if (now !== undefined) next.set(root, reuseIfSame({ tier: tierOf(from), loaded: now }, before));
      else if (before !== undefined) next.set(root, before);
    }
    known = next;
    snapshot = snapshotOf(layout, known, snapshot);
    return snapshot;
  };

  const scans = nextRun(scan, (tookMs) => delay(Math.min(tookMs / 4, companyMsMax)));
  const isCurrent = freshness();
  return {
    async find(id) {
      const standing = snapshot.skills.get(id);
      if (standing !== undefined && (await isCurrent(standing))) return standing.skill;
      const { skills, broken } = await scans.next();
      return skills.get(id)?.skill ?? broken.find((candidate) => candidate.id === id);
    },
    list: async () => (await scans.next()).list,
    broken: async () => (await scans.next()).broken,
    close: () => scans.idle().then(scanner.close),
  };
}
