import { lstatSync, type Stats } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Mount } from './sandbox.ts';

/** Identifies a file or folder on this machine. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Throws `SKILL_CHANGED` if a mount is not the file that was checked: bubblewrap follows a symlink
 * that replaced a file, and skips a removed file. `root` is the path of the sandbox's root from
 * outside.
 */
export function checkMounts(root: string, mounts: readonly Mount[]): void {
  for (const { source, target, identity } of mounts) {
    const found = lstatSync(`${root}${target}`, { throwIfNoEntry: false });
    if (found !== undefined && identityOf(found) === identity) continue;
    throw new SkillError(
      'SKILL_CHANGED',
      `${source} was replaced while the sandbox was being set up, so nothing ran; call again`,
    );
  }
}
