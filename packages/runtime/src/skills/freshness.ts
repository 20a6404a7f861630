import { type Disk, patientDisk } from './disk.ts';
import { listFolder, signatureOf } from './list-folder.ts';
import { nextRun } from './next-run.ts';
import type { Standing } from './snapshot.ts';
import type { Stamp } from './stamp.ts';

/**
 * Tells of a skill that was read whether its folder is still as it was, by a look that begins after the question. Calls
 * that come close together share a look, and what a folder has in it is listed only the first time: after that its stamps
 * say whether anything came, went or was edited.
 */
export function freshness(disk: Disk = patientDisk): (standing: Standing) => Promise<boolean> {
  const looks = new WeakMap<Standing, () => Promise<boolean>>();
  return (standing) => {
    const known = looks.get(standing) ?? nextRun(lookAt(standing, disk)).next;
    looks.set(standing, known);
    return known();
  };
}

function lookAt({ skill, signature, settled, place }: Standing, disk: Disk): () => Promise<boolean> {
  let stamps: readonly Stamp[] | undefined;
  const isAsItWas = async (): Promise<boolean> => {
    if (stamps !== undefined) return disk.looksLike(stamps);
    const listing = await listFolder(skill.root, disk);
    if (signatureOf(listing) !== signature) return false;
    stamps = listing.stamps;
    return true;
  };
  return async () => {
    if (!settled) return false;
    try {
      const [root, same] = await Promise.all([disk.realpath(place), isAsItWas()]);
      // A link on the way may lead elsewhere by now.
      return same && root === skill.root;
    } catch {
      return false;
    }
  };
}
