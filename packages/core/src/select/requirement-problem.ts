import { isForModels } from '../skill/skill.ts';
import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { lostText, type Requirement } from './prepared/requirement.ts';
import { circleText } from './reason-text.ts';

/**
 * Describes an unmet requirement of the skill at a place: the dependency, the range and the
 * available version. If another needed skill accepts that version with a range that excludes this
 * one, it is named too.
 */
export function requirementProblem(
  skills: readonly PreparedSkill[],
  isNeeded: Uint8Array,
  intersect: (a: string, b: string) => boolean,
): (place: number, requirement: Requirement) => string {
  // Thousands of skills may require the same range of the same skill.
  const rivals = new Map<string, Rival | undefined>();
  const rivalOf = (requirement: Requirement): Rival | undefined => {
    const key = `${requirement.id}\0${requirement.range}`;
    if (!rivals.has(key)) rivals.set(key, findRival(skills, isNeeded, requirement, intersect));
    return rivals.get(key);
  };
  return (place, requirement) => {
    const { id, range, version, isMet } = requirement;
    const { skill } = skills[place] as PreparedSkill;
    const needs = `${skill.id} requires ${id} ${range}`;
    const circle = requirement.place === undefined ? undefined : skills[requirement.place]?.circle;
    if (isMet && circle !== undefined) return `${needs}, but ${circleText(id, circle)}`;
    const required = requirement.place === undefined ? undefined : skills[requirement.place]?.skill;
    if (isMet && required !== undefined && !isForModels(required))
      return `${needs}, but its SKILL.md hides ${id} from models; name it in "include"`;
    if (isMet) return lostText(skill, requirement);
    if (requirement.place === undefined) return `${needs}, which is not in the catalog`;
    if (version === undefined) return `${needs}, but ${id} in the catalog has no version`;
    const rival = rivalOf(requirement);
    return rival === undefined
      ? `${needs}, but the catalog has ${version}`
      : `${needs}, but ${rival.id} requires ${id} ${rival.range}, which ${version} satisfies; exclude one of them`;
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
