import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { lostText, type Requirement } from './prepared/requirement.ts';

/**
 * Says what is wrong with a requirement of the skill at a place: the dependency, the range, the version that there is,
 * and, where another needed skill holds the catalog to that version with a range that shares none with this one, who
 * that is.
 */
export function requirementProblem(
  skills: readonly PreparedSkill[],
  isNeeded: Uint8Array,
  intersect: (a: string, b: string) => boolean,
): (place: number, requirement: Requirement) => string {
  // Thousands may require the same in the same range.
  const rivals = new Map<string, Rival | undefined>();
  const rivalOf = (requirement: Requirement): Rival | undefined => {
    const key = `${requirement.id}\0${requirement.range}`;
    if (!rivals.has(key)) rivals.set(key, findRival(skills, isNeeded, requirement, intersect));
    return rivals.get(key);
  };
  return (place, requirement) => {
    const { id, range, version, isMet } = requirement;
    const { skill } = skills[place] as PreparedSkill;
    if (isMet) return lostText(skill, requirement);
    const needs = `${skill.id} requires ${id} ${range}`;
    if (requirement.place === undefined) return `${needs}, which is not in the catalog`;
    if (version === undefined) return `${needs}, and the ${id} in the catalog states no version`;
    const rival = rivalOf(requirement);
    return rival === undefined
      ? `${needs}, and the catalog has ${version}`
      : `${needs}, and ${rival.id} requires ${id} ${rival.range}, which ${version} satisfies; both cannot be had`;
  };
}

interface Rival {
  id: string;
  range: string;
}

function findRival(
  skills: readonly PreparedSkill[],
  isNeeded: Uint8Array,
  { place, range }: Requirement,
  intersect: (a: string, b: string) => boolean,
): Rival | undefined {
  if (place === undefined) return undefined;
  for (const other of skills[place]?.neededBy ?? []) {
    if (isNeeded[other] === 0) continue;
    const theirs = skills[other]?.requirements.find((each) => each.place === place);
    if (theirs === undefined || !theirs.isMet || intersect(theirs.range, range)) continue;
    return { id: skills[other]?.skill.id ?? '', range: theirs.range };
  }
  return undefined;
}
