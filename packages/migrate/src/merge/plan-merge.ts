import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Skill } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { folderCatalog, isThere } from '@ambit/runtime';
import { type CheckFolder, copyLearned, isSkillFolder, type RefusedFolder } from './copy-learned.ts';
import { type MergeAction, type MergeMode, mergeSkills } from './merge-skills.ts';

/** One action and its skills. */
export interface PlannedMerge {
  action: MergeAction;
  /** The checked copy. */
  learned: Skill;
  existing: Skill | undefined;
}

/** The plan of a merge, before it changes the folder of skills. */
export interface MergePlan {
  merges: PlannedMerge[];
  refused: RefusedFolder[];
}

/** The learned skills to merge, and where to. All paths are absolute. */
export interface MergeRequest {
  source: string;
  into: string;
  staging: string;
  mode: MergeMode;
  check: CheckFolder;
}

/**
 * Copies learned skills into `staging` and decides how to merge each. `into` need not exist yet.
 *
 * Throws a `UsageError` if the source contains no skill, or `into` is a skill itself.
 */
export async function planMerge({ source, into, staging, mode, check }: MergeRequest): Promise<MergePlan> {
  if (await isSkillFolder(into)) {
    throw new UsageError(`${into} is a skill; pass the folder that contains it as --into`);
  }
  const refused = await copyLearned(source, staging, check);
  // The catalog of the copies must not read refused skills.
  for (const { id } of refused) await rm(join(staging, id), { recursive: true, force: true });
  const copies = folderCatalog([{ path: staging, tier: 'untrusted' }]);
  refused.push(...(await copies.broken()).map(({ id, problem }) => ({ id, problems: [problem] })));
  const known = folderCatalog([{ path: into, tier: 'local' }]);
  const existing = new Map((await known.list()).map((skill) => [skill.id, skill]));
  const broken = new Map((await known.broken()).map(({ id, problem }) => [id, problem]));
  const learned: Skill[] = [];
  for (const skill of await copies.list()) {
    const problem = await whyUnwritable(into, skill.id, existing.get(skill.id), broken.get(skill.id));
    if (problem === undefined) learned.push(skill);
    else refused.push({ id: skill.id, problems: [problem] });
  }
  const byId = new Map(learned.map((skill) => [skill.id, skill]));
  const merges = mergeSkills([...existing.values()], learned, mode).flatMap((action) => {
    const skill = byId.get(action.id);
    return skill === undefined ? [] : [{ action, learned: skill, existing: existing.get(action.id) }];
  });
  return { merges, refused: refused.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Returns why a merge must not write to the place of a skill; `undefined` if it may. */
async function whyUnwritable(
  into: string,
  id: string,
  existing: Skill | undefined,
  problem: string | undefined,
): Promise<string | undefined> {
  const place = join(into, id);
  if (existing !== undefined && dirname(existing.root) !== into) {
    return `the existing skill is a link to ${existing.root}; merge into the folder that contains it`;
  }
  if (existing?.root === place || !(await isThere(place))) return undefined;
  return `${place} exists but is not the skill ${id}${problem === undefined ? '' : ` (${problem})`}; fix it or move it away`;
}
