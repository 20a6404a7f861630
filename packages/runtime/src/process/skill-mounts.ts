import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import type { ToolSkill } from '@ambit/core/execute';
import { isHiddenName, isInnerSkill } from '@ambit/core/skill';
import { skillFolder } from './entry.ts';
import { identityOf } from './sandbox/mount-identity.ts';
import type { Mount } from './sandbox/sandbox.ts';

/** The parts of a skill's folder that exist in its sandbox. */
export interface SkillMounts {
  mounts: Mount[];
  /** Links inside: path → target. */
  links: Record<string, string>;
  /** Empty folders inside. */
  folders: string[];
}

/** The mounts of one file or folder, and whether it can be mounted as a whole. */
interface EntryMounts extends SkillMounts {
  isWhole: boolean;
}

/** Each mount takes a quarter of a millisecond, and more as the number grows. */
const mountsMax = 256;

/** More entries than the catalog reads of any skill. */
const entriesMax = 30_000;

/**
 * Mounts a skill's folder without hidden files, sockets and skills of their own. A folder that contains none is mounted
 * as a whole, which is one mount for nearly every skill. In any other folder, each visible entry is
 * mounted separately, so that hidden files do not exist inside, even if they appear later.
 *
 * Throws `SKILL_INVALID` if that takes more than 256 mounts, and `SKILL_CHANGED` if the folder can
 * no longer be read.
 */
export async function skillMounts(skill: Pick<ToolSkill, 'id' | 'root'>): Promise<SkillMounts> {
  try {
    return await visibleMounts(skill);
  } catch (error) {
    if (error instanceof SkillError) throw error;
    const { message } = error as Error;
    throw new SkillError(
      'SKILL_CHANGED',
      `${skill.id}: the skill folder cannot be read (${message}); call again`,
      {
        cause: error,
      },
    );
  }
}

async function visibleMounts({ id, root }: Pick<ToolSkill, 'id' | 'root'>): Promise<SkillMounts> {
  let entries = 0;

  const visit = async (source: string, target: string): Promise<EntryMounts> => {
    const all = await readdir(source, { withFileTypes: true });
    entries += all.length;
    if (entries > entriesMax) throw tooMany(id, `the skill folder has more than ${entriesMax} entries`);
    const names = all.map(({ name }) => name);
    if (isInnerSkill(target.slice(skillFolder.length + 1), names))
      return { isWhole: false, mounts: [], links: {}, folders: [] };
    const visible = all.filter(({ name }) => !isHiddenName(name));
    const below = await Promise.all(visible.map((entry) => look(entry, source, target)));
    if (visible.length === all.length && below.every(({ isWhole }) => isWhole)) return whole(source, target);
    return {
      isWhole: false,
      mounts: below.flatMap(({ mounts }) => mounts),
      links: Object.assign({}, ...below.map(({ links }) => links)),
      folders: visible.length === 0 ? [target] : below.flatMap(({ folders }) => folders),
    };
  };

  const look = async (entry: Dirent, folder: string, inside: string): Promise<EntryMounts> => {
    const [source, target] = [`${folder}/${entry.name}`, `${inside}/${entry.name}`];
    if (entry.isDirectory()) return visit(source, target);
    // A skill could connect to it; a read-only mount does not prevent that.
    if (entry.isSocket()) return { isWhole: false, mounts: [], links: {}, folders: [] };
    if (!entry.isSymbolicLink()) return whole(source, target);
    // A mount would follow it to any host path.
    return { isWhole: true, mounts: [], links: { [target]: await readlink(source) }, folders: [] };
  };

  const { isWhole, mounts, links, folders } = await visit(root, skillFolder);
  if (isWhole) return { mounts, links: {}, folders: [] };
  if (mounts.length > mountsMax) {
    throw tooMany(id, `leaving out hidden files takes more than ${mountsMax} mounts`);
  }
  return { mounts: await Promise.all(mounts.map(pinned)), links, folders };
}

function whole(source: string, target: string): EntryMounts {
  return { isWhole: true, mounts: [{ source, target }], links: {}, folders: [] };
}

/**
 * Records the identity, because the path may lead to another file by the time the kernel mounts it.
 */
async function pinned(mount: Mount): Promise<Mount> {
  return { ...mount, identity: identityOf(await lstat(mount.source)) };
}

function tooMany(id: string, why: string): SkillError {
  return new SkillError(
    'SKILL_INVALID',
    `${id}: ${why}; remove hidden files from the skill folder ("ambit skills validate" lists them)`,
  );
}
