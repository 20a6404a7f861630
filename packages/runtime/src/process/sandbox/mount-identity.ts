import { lstatSync, type Stats } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Mount } from './sandbox.ts';

/** Tells one file or folder of this machine from every other one. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Throws `SKILL_CHANGED` where something else has been mounted than was to be: bubblewrap follows a link that has taken the
 * place of a file, and passes over what is gone. `root` is the sandbox's own, seen from outside.
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
