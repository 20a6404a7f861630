import { type Disk, patientDisk } from '../disk.ts';
import { type Loaded, loadCheapFolder } from '../load-skill-folder.ts';
import type { ParsesHere } from '../read-skill-folder.ts';
import type { SkillRoot } from '../skill-root.ts';
import { type Scanner, scanLimits, scannerHere, type Wanted } from './scanner.ts';
import { scanningThreads } from './scanning-threads.ts';

/** As many as are read sooner than a thread is started. */
const fewFolders = 250;

/** The most YAML, in tokens, that this thread parses in one scan; the rest goes to another. The bundled skills have 3,600. */
const tokensHere = 10_000;

/**
 * The scanner that fits what lies there: in this thread as long as there are few folders with little YAML, in others from when
 * there were many, and here again, slowly, when those fail. Never rejects for want of a thread.
 */
export function scannerFor(roots: readonly SkillRoot[]): Scanner {
  const few = scannerHere(roots, patientDisk, { ...scanLimits, folders: fewFolders });
  const otherwise = scannerHere(roots, patientDisk);
  let threads: Scanner | undefined;
  let areMany = false;
  const inThreads = (): Scanner => (threads ??= scanningThreads(roots));
  const readThere = (wanted: readonly Wanted[]): Promise<readonly Loaded[]> =>
    inThreads()
      .read(wanted)
      .catch(() => otherwise.read(wanted));
  return {
    async survey() {
      if (!areMany) {
        const survey = await few.survey();
        if (survey.layout?.complete !== false) return survey;
        areMany = true;
      }
      return inThreads().survey().catch(otherwise.survey);
    },
    async read(wanted) {
      if (areMany) return readThere(wanted);
      const read = await readCheap(wanted, patientDisk);
      const left = wanted.filter((_, at) => read[at] === undefined);
      const there = left.length === 0 ? [] : await readThere(left);
      let next = 0;
      return read.map((each) => each ?? (there[next++] as Loaded));
    },
    close: async () => threads?.close(),
  };
}

/** Leaves out, as `undefined`, those whose YAML is not for this thread. */
async function readCheap(wanted: readonly Wanted[], disk: Disk): Promise<(Loaded | undefined)[]> {
  let left = tokensHere;
  const parsesHere: ParsesHere = (cost) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  const loaded: (Loaded | undefined)[] = [];
  for (const { root, tier } of wanted) loaded.push(await loadCheapFolder(root, tier, disk, parsesHere));
  return loaded;
}
