import { patientDisk } from '../disk.ts';
import type { SkillRoot } from '../skill-root.ts';
import { type Scanner, scannerHere, wholeReach } from './scanner.ts';
import { scanningThreads } from './scanning-threads.ts';

/** As many as are read sooner than a thread is started. */
const fewFolders = 250;

/**
 * The scanner that fits what lies there: in this thread as long as there are few folders, in others from when there were
 * many, and here again, slowly, when those fail. Never rejects for want of a thread.
 */
export function scannerFor(roots: readonly SkillRoot[]): Scanner {
  const few = scannerHere(roots, patientDisk, { ...wholeReach, folders: fewFolders });
  let threads: Scanner | undefined;
  const otherwise = scannerHere(roots, patientDisk);
  return {
    async survey() {
      if (threads === undefined) {
        const survey = await few.survey();
        if (survey.layout?.complete !== false) return survey;
        threads = scanningThreads(roots);
      }
      return threads.survey().catch(otherwise.survey);
    },
    async read(wanted) {
      if (threads === undefined) return few.read(wanted);
      return threads.read(wanted).catch(() => otherwise.read(wanted));
    },
    close: async () => threads?.close(),
  };
}
