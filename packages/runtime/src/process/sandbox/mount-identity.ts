import { lstatSync, type Stats } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Mount } from './sandbox.ts';

/** Identifies one file or folder of this machine. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Throws `SKILL_CHANGED` if a mount is not the file that was checked: bubblewrap follows a link that replaced a file, and skips
 * a file that was removed. `root` is the path of the sandbox's root from outside.
 */
export function checkMounts(root: string, mounts: readonly Mount[]): void {
  for (const { source, target, identity } of mounts) {
    const found = lstatSync(`${root}${target}`, { throwIfNoEntry: false });
    if (found !== undefined && identityOf(found) === identity) continue;
    throw new SkillError(
      'SKILL_CHANGED',
      `${source} was replaced while the sandbox was prepared, so nothing has run; call again`,
    );
  }
}
