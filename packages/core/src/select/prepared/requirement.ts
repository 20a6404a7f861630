import semver from 'semver';
import type { Skill } from '../../skill/skill.ts';

/** What one skill requires of another. */
export interface Requirement {
  id: string;
  /** A semver range, as it is written. */
  range: string;
  /** Where the skill of that id is in the prepared catalog; `undefined` where there is none. */
  place: number | undefined;
  /** The version that it states, if any. */
  version: string | undefined;
  /** Whether it is there in a version that the range accepts. */
  isMet: boolean;
}

/**
 * What a sidecar requires, held against the skills that `find` knows. Ranges are npm's: a prerelease satisfies only a
 * range that names a prerelease of the same version (`^2.0.0-beta.1`, and not `^2.0.0`, accepts 2.0.0-beta.2). Only `*`,
 * and what means the same, takes more: every version, and also a skill that states none.
 */
export function requirementsOf(
  { sidecar }: Skill,
  find: (id: string) => { place: number; skill: Skill } | undefined,
): Requirement[] {
  return Object.entries(sidecar.requires).map(([id, range]) => {
    const found = find(id);
    const version = found?.skill.sidecar.version;
    return { id, range, place: found?.place, version, isMet: found !== undefined && accepts(range, version) };
  });
}

/** Says that a skill cannot be had because what it requires, which is there, is left out. */
export function lostText(by: Skill, { id, range, version }: Requirement): string {
  return `${by.id} requires ${id} ${range}, and ${version === undefined ? id : `${id} ${version}`} is left out itself`;
}

function accepts(range: string, version: string | undefined): boolean {
  if (semver.validRange(range) === '*') return true;
  return version !== undefined && semver.satisfies(version, range);
}
