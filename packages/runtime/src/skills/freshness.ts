import { statfs } from 'node:fs/promises';
import { asyncDisk, blockingDisk, type Disk } from './folder/disk.ts';
import { type Stamp, stampsOf } from './folder/stamp.ts';
import { nextRun } from './next-run.ts';
import type { NamedSkill } from './snapshot.ts';

/**
 * Returns a function that reports whether a skill's folder is unchanged since it was read. The
 * check starts after the question. Concurrent calls share an asynchronous check. The folder is not
 * listed: the stamps in its signature show every addition, removal and edit.
 */
export function freshness(): (skill: NamedSkill) => boolean | Promise<boolean> {
  const checks = new WeakMap<NamedSkill, () => boolean | Promise<boolean>>();
  return (skill) => {
    const check = checks.get(skill) ?? checkOf(skill);
    checks.set(skill, check);
    return check();
  };
}

function checkOf({ skill, signature, settled, foundAt }: NamedSkill): () => boolean | Promise<boolean> {
  let known: { stamps: readonly Stamp[]; disk: Disk } | undefined;
  const { next } = nextRun(async () => {
    try {
      if ((await asyncDisk.realpath(foundAt)) !== skill.root) return false;
      const stamps = known?.stamps ?? stampsOf(signature);
      if (stamps === undefined || !(await asyncDisk.stampsMatch(stamps))) return false;
      known ??= { stamps, disk: await diskFor(skill.root, stamps) };
      return true;
    } catch {
      return false;
    }
  });
  return () => {
    if (!settled) return false;
    if (known?.disk !== blockingDisk) return next();
    try {
      // A link on the path may have a new target.
      return blockingDisk.realpath(foundAt) === skill.root && blockingDisk.stampsMatch(known.stamps);
    } catch {
      return false;
    }
  };
}

/** Checking more would block the thread too long, and larger skills are rare. */
const stampsMax = 32;

/** `f_type` of local file systems, which answer repeated lookups from memory. */
const localFileSystems: ReadonlySet<number> = new Set([
  // ext2 to ext4, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs, SquashFS, EROFS
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e],
  ...[0x73717368, 0xe0f5e1e2],
]);

/**
 * Every call makes this check. A blocking one takes microseconds, and an asynchronous one ten times
 * as long. Remote and user-space file systems can hang, so this thread never blocks on them.
 */
async function diskFor(root: string, stamps: readonly Stamp[]): Promise<Disk> {
  const { type } = await statfs(root);
  return localFileSystems.has(type) && stamps.length <= stampsMax ? blockingDisk : asyncDisk;
}
