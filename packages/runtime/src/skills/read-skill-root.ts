import { realpath } from 'node:fs/promises';
import type { BrokenSkill, Skill } from '@ambit/core';
import { isGone } from './folder/disk.ts';
import { loadSkillFolder } from './folder/load-skill-folder.ts';
import { notInstalled } from './scan/find-skill-folders.ts';
import type { SkillRoot } from './scan/skill-root.ts';
import { stateOf } from './snapshot.ts';

/** Reads a root that is a skill's folder, as a catalog would. Never rejects. */
export async function readSkillRoot(root: SkillRoot): Promise<Skill | BrokenSkill> {
  const { path, tier, installed } = root;
  const real = await realpath(path).catch((error: unknown) => (isGone(error) ? undefined : path));
  if (real === undefined && installed !== undefined) return notInstalled(root, installed);
  const { loaded } = stateOf(await loadSkillFolder(real ?? path, tier), root);
  return 'broken' in loaded ? loaded.broken : loaded.read.skill;
}
