import semver from 'semver';
import type { Skill } from '../../skill/skill.ts';

/** A dependency of one skill on another. */
export interface Requirement {
  id: string;
  /** A semver range, as written. */
  range: string;
  /** The place of the skill with that id in the prepared catalog; `undefined` if there is none. */
  place: number | undefined;
  /** Its version, if it has one. */
  version: string | undefined;
  /** Whether it exists in a version that the range accepts. */
  isMet: boolean;
}

/**
 * Checks the requirements of a sidecar against the skills that `find` knows. Ranges follow npm: a
 * prerelease satisfies only a range that names a prerelease of the same version (`^2.0.0-beta.1`
 * accepts 2.0.0-beta.2, `^2.0.0` does not). `*` and its equivalents accept every version, and also
 * a skill without one.
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

/** Explains that a skill is left out because a dependency is left out. */
export function lostText(by: Skill, { id, range, version }: Requirement): string {
  return `${by.id} requires ${id} ${range}, but ${version === undefined ? id : `${id} ${version}`} is left out`;
}

function accepts(range: string, version: string | undefined): boolean {
  if (semver.validRange(range) === '*') return true;
  return version !== undefined && semver.satisfies(version, range);
}
