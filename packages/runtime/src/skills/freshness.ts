import { statfs } from 'node:fs/promises';
import { blockingDisk, type Disk, patientDisk } from './disk.ts';
import { listFolder, signatureOf } from './list-folder.ts';
import { nextRun } from './next-run.ts';
import type { NamedSkill } from './snapshot.ts';
import type { Stamp } from './stamp.ts';

/**
 * Tells of a skill that was read whether its folder is still as it was, by a look that begins after the question. Calls
 * that come close together share a look, and what a folder has in it is listed only the first time: after that its stamps
 * say whether anything came, went or was edited.
 */
export function freshness(): (standing: NamedSkill) => Promise<boolean> {
  const looks = new WeakMap<NamedSkill, () => Promise<boolean>>();
  return (standing) => {
    const known = looks.get(standing) ?? nextRun(lookAt(standing)).next;
    looks.set(standing, known);
    return known();
  };
}

function lookAt({ skill, signature, settled, place }: NamedSkill): () => Promise<boolean> {
  let known: { stamps: readonly Stamp[]; disk: Disk } | undefined;
  const isListedAsItWas = async (): Promise<boolean> => {
    const listing = await listFolder(skill.root);
    if (signatureOf(listing) !== signature) return false;
    known = { stamps: listing.stamps, disk: await diskFor(skill.root, listing.stamps) };
    return true;
  };
  return async () => {
    if (!settled) return false;
    try {
      // A link on the way may lead elsewhere by now.
      if ((await (known?.disk ?? patientDisk).realpath(place)) !== skill.root) return false;
      return known === undefined ? await isListedAsItWas() : await known.disk.looksLike(known.stamps);
    } catch {
      return false;
    }
  };
}

/** More would hold up others, and are rare. */
const stampsMax = 32;

/** `f_type` of the file systems of this machine, which answer for what was looked at a moment ago from memory. */
const nearby: ReadonlySet<number> = new Set([
  // ext2 to ext4, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs, SquashFS, EROFS
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e],
  ...[0x73717368, 0xe0f5e1e2],
]);

/**
 * A look that blocks takes microseconds where one that waits its turn takes ten times as long, and this is asked for each
 * call. What is far away or behind another program can hang, and is never waited for in this thread.
 */
async function diskFor(root: string, stamps: readonly Stamp[]): Promise<Disk> {
  const { type } = await statfs(root);
  return nearby.has(type) && stamps.length <= stampsMax ? blockingDisk : patientDisk;
}
