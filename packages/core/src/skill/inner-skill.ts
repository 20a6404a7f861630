import { isHiddenPath } from './hidden-path.ts';
import { skillFileNames } from './skill.ts';

/**
 * Whether a folder within a skill's folder is a skill of its own and not part of that one: it has a `SKILL.md`, and is where
 * repositories have their skills, at most three levels below `skills` or `plugins/PLUGIN/skills`. Any other folder is part of
 * the skill around it, such as examples and templates.
 *
 * @param path relative to the skill's folder
 * @param names what the folder has
 */
export function isInnerSkill(path: string, names: readonly string[]): boolean {
  return inner.test(path) && !isHiddenPath(path) && skillFileNames.some((name) => names.includes(name));
}

const inner = /^(?:plugins\/[^/]+\/)?skills(?:\/[^/]+){1,3}$/;

/** The folders of a skill below which skills of their own can be. */
export const innerSkillFolders: readonly string[] = ['skills', 'plugins'];

/** Whether a folder within a skill's folder can be one, or have one below it. */
export function mayHaveInnerSkills(path: string): boolean {
  return aroundInner.test(path) && !isHiddenPath(path);
}

const aroundInner = /^(?:plugins(?:\/[^/]+)?|(?:plugins\/[^/]+\/)?skills(?:\/[^/]+){0,3})$/;

/**
 * The folders that are skills and not part of another one, of all folders with a `SKILL.md`. Paths are relative to a common
 * folder, which is the empty path.
 */
export function skillFoldersAmong(folders: readonly string[]): ReadonlySet<string> {
  const skills = new Set<string>();
  for (const folder of folders.toSorted((a, b) => a.length - b.length)) {
    const around = folderAround(folder, skills);
    const within = around === undefined || around === '' ? folder : folder.slice(around.length + 1);
    if (around === undefined || isInnerSkill(within, skillFileNames)) skills.add(folder);
  }
  return skills;
}

/** The innermost of some folders that a path is in, or is; `undefined`: none. */
export function folderAround(path: string, folders: ReadonlySet<string>): string | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    if (folders.has(at)) return at;
    if (at === '') return undefined;
  }
}
