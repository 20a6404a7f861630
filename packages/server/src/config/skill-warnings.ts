import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import type { Policy } from '@ambit/core/execute';
import { limitLines } from '@ambit/core/inspect';
import { nearest, placesByIdAndName } from '@ambit/core/skill';
import type { Config } from './config.ts';
import { bundledSkills } from './program-folder.ts';

const warningsMax = 50;

/** The usable and the broken skills of a catalog. */
export interface FoundSkills {
  skills: readonly Skill[];
  broken: readonly BrokenSkill[];
}

type SkillSettings = Pick<Config, 'skills' | 'grants' | 'mcpServers' | 'phases' | 'agents' | 'audit'>;

/**
 * Configured folders that do not exist; or else the skills that the configuration names and no skill folder has, one
 * sentence each. At most 50. If a folder could not be searched, unknown names may be skills in it, and none is reported.
 */
export async function skillWarnings(
  config: SkillSettings,
  { skills, broken }: { skills: readonly Pick<Skill, 'id' | 'alias'>[]; broken: FoundSkills['broken'] },
): Promise<readonly string[]> {
  const missing = await missingRoots(config.skills);
  if (missing.length > 0 || !(await isSearched(config.skills, broken))) return missing;
  const known = [...new Set([...skills, ...broken].map(({ id }) => id))];
  const places = placesByIdAndName(known);
  const idOfAlias = new Map(skills.map((skill) => [skill.alias, skill.id]));
  const unknown = namedSkills(config).filter(({ id, byName }) =>
    byName === true ? !places.has(id) : !known.includes(id),
  );
  const warnings = unknown.map(({ key, id }) => {
    const near = known[places.get(id) ?? -1] ?? idOfAlias.get(id) ?? nearest(id, known);
    return `${key}: the skill ${JSON.stringify(id)} does not exist${near === undefined ? '' : `; did you mean ${near}?`}`;
  });
  return warnings.slice(0, warningsMax);
}

/** Skills whose alias is ignored because of another skill, one sentence each. At most 50. */
export function aliasWarnings(skills: readonly Pick<Skill, 'id' | 'aliasConflict'>[]): string[] {
  const conflicts = skills.flatMap(({ id, aliasConflict }) =>
    aliasConflict === undefined ? [] : [`${id}: ${aliasConflict}`],
  );
  return conflicts.slice(0, warningsMax);
}

/** Limits that skills ask for and do not get, with what gives them, one sentence each. At most 50. */
export function limitWarnings(policy: Policy, skills: readonly Skill[]): string[] {
  return skills.flatMap((skill) => limitLines(policy, skill)).slice(0, warningsMax);
}

/** Finds the usable and the broken skills of `catalog`, with one scan. */
export async function foundSkills(catalog: Pick<Catalog, 'list' | 'broken'>): Promise<FoundSkills> {
  const [skills, broken] = await Promise.all([catalog.list(), catalog.broken()]);
  return { skills, broken };
}

/** Configured skill folders that do not exist, one sentence each. */
export async function missingRoots(roots: Config['skills']): Promise<string[]> {
  const warnings = roots.map(async ({ path, discovered }, index) => {
    if (discovered === true || path === bundledSkills || !(await isMissing(path))) return [];
    return [`skills.${index}.path: the folder ${path} does not exist`];
  });
  return (await Promise.all(warnings)).flat();
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
  );
}

/** Whether every folder was searched. A problem of a root is a limit that ended its search. */
async function isSearched(roots: Config['skills'], broken: readonly BrokenSkill[]): Promise<boolean> {
  const searched = broken.map(async ({ root }) => {
    if (roots.some(({ path }) => path === root)) return false;
    return access(root, constants.R_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
  });
  return !(await Promise.all(searched)).includes(false);
}

/** A skill that the configuration names. With `byName`, its namespace can be left out. */
interface NamedSkill {
  key: string;
  id: string;
  byName?: true;
}

/** The skills that the configuration names, with the keys that name them. */
function namedSkills({ grants, mcpServers, phases, agents, audit }: SkillSettings): NamedSkill[] {
  const granted = new Set([...Object.keys(grants), ...Object.keys(mcpServers)]);
  const listed = (group: string, lists: Config['phases'] | Config['agents']): NamedSkill[] =>
    Object.entries(lists).flatMap(([name, { skills }]) =>
      [...new Set(skills)].map((id) => ({ key: `${group}.${name}.skills`, id, byName: true })),
    );
  return [
    ...[...granted].map((id) => ({ key: 'grants', id })),
    ...listed('phases', phases),
    ...listed('agents', agents),
    ...Object.keys(audit.skills).map((id) => ({ key: 'audit.skills', id })),
  ];
}
