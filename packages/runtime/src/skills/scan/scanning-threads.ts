import type { Loaded } from '../load-skill-folder.ts';
import type { SkillRoot } from '../skill-root.ts';
import type { Scanner, Wanted } from './scanner.ts';
import { scanningThread } from './scanning-thread.ts';

/** Few enough that taking in what was read never keeps the caller's own thread for long. */
const readAtOnce = 50;

/** From here on a second thread is worth its start. */
const manyFolders = 1000;

/** A thread that stays, and a second one for as long as there is much to read. */
export function scanningThreads(roots: readonly SkillRoot[]): Scanner {
  const first = scanningThread(roots);
  return {
    survey: first.survey,
    async read(wanted) {
      if (wanted.length < manyFolders) return readInPieces(wanted, [first]);
      const second = scanningThread(roots);
      try {
        return await readInPieces(wanted, [first, second]);
      } finally {
        await second.close();
      }
    },
    close: first.close,
  };
}

async function readInPieces(
  wanted: readonly Wanted[],
  threads: readonly Scanner[],
): Promise<readonly Loaded[]> {
  const pieces: (readonly Loaded[])[] = [];
  let next = 0;
  const work = async (thread: Scanner): Promise<void> => {
    while (next * readAtOnce < wanted.length) {
      const piece = next;
      next += 1;
      pieces[piece] = await thread.read(wanted.slice(piece * readAtOnce, (piece + 1) * readAtOnce));
    }
  };
  await Promise.all(threads.map(work));
  return pieces.flat();
}
