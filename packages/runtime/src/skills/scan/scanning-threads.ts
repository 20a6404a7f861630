import type { LoadResult } from '../folder/load-skill-folder.ts';
import type { FolderToRead, Scanner } from './scanner.ts';
import { scanningThread } from './scanning-thread.ts';
import type { SkillRoot } from './skill-root.ts';

/** Small enough that receiving the results never blocks the calling thread for long. */
const readAtOnce = 50;

/** From this number on, a second thread is worth starting. */
const manyFolders = 1000;

/** A permanent thread, and a second one while there is much to read. */
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
  wanted: readonly FolderToRead[],
  threads: readonly Scanner[],
): Promise<readonly LoadResult[]> {
  const pieces: (readonly LoadResult[])[] = [];
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
