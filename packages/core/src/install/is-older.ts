import semver from 'semver';
import type { Skill } from '../skill/skill.ts';

/** Whether a skill has an older `version` than another one. Without versions, nothing is known to be older. */
export function isOlder(skill: Pick<Skill, 'sidecar'>, than: Pick<Skill, 'sidecar'>): boolean {
  const [version, other] = [skill.sidecar.version, than.sidecar.version];
  return version !== undefined && other !== undefined && semver.lt(version, other);
}
