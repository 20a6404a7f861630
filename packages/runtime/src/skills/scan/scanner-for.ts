import { asyncDisk, type Disk } from '../folder/disk.ts';
import { type LoadResult, loadIfCheap } from '../folder/load-skill-folder.ts';
import type { ParsesInline } from '../folder/read-skill-folder.ts';
import { type FolderToRead, localScanner, type Scanner, scanLimits } from './scanner.ts';
import { scanningThreads } from './scanning-threads.ts';
import type { SkillRoot } from './skill-root.ts';

/** Reading this many is faster than starting a thread. */
const inlineFoldersMax = 250;

/**
 * The most YAML tokens that this thread parses in one scan; a worker thread parses the rest. The
 * bundled skills have 3,600.
 */
const inlineTokensMax = 10_000;

/**
 * The scanner for these roots. It works in this thread while there are few folders with little
 * YAML, in worker threads above that, and in this thread again, slowly, if those fail. A failing
 * thread never makes it reject.
 */
export function scannerFor(roots: readonly SkillRoot[]): Scanner {
  const few = localScanner(roots, asyncDisk, { ...scanLimits, folders: inlineFoldersMax });
  const fallback = localScanner(roots, asyncDisk);
  let threads: Scanner | undefined;
  let usesThreads = roots.length > inlineFoldersMax;
  const inThreads = (): Scanner => (threads ??= scanningThreads(roots));
  const readInThreads = (wanted: readonly FolderToRead[]): Promise<readonly LoadResult[]> =>
    inThreads()
      .read(wanted)
      .catch(() => fallback.read(wanted));
  return {
    async survey(signatures) {
      if (!usesThreads) {
        const survey = await few.survey(signatures);
        if (survey.layout?.complete !== false) return survey;
        usesThreads = true;
      }
      return inThreads()
        .survey(signatures)
        .catch(() => fallback.survey(signatures));
    },
    async read(wanted) {
      if (usesThreads) return readInThreads(wanted);
      const read = await readCheap(wanted, asyncDisk);
      const remaining = wanted.filter((_, at) => read[at] === undefined);
      const fromThreads = remaining.length === 0 ? [] : await readInThreads(remaining);
      let next = 0;
      return read.map((each) => each ?? (fromThreads[next++] as LoadResult));
    },
    close: async () => threads?.close(),
  };
}

/** `undefined` for folders whose YAML is too costly for this thread. */
async function readCheap(wanted: readonly FolderToRead[], disk: Disk): Promise<(LoadResult | undefined)[]> {
  let remaining = inlineTokensMax;
  const parsesInline: ParsesInline = (cost) => {
    if (cost > remaining) return false;
    remaining -= cost;
    return true;
  };
  const loaded: (LoadResult | undefined)[] = [];
  for (const { root, tier } of wanted) loaded.push(await loadIfCheap(root, tier, disk, parsesInline));
  return loaded;
}
