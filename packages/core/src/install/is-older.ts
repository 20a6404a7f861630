import semver from 'semver';
import type { Skill } from '../skill/skill.ts';

/** Whether a skill has an older `version` than another one, or none where the other one has a version. */
export function isOlder(skill: Pick<Skill, 'sidecar'>, than: Pick<Skill, 'sidecar'>): boolean {
  const [version, other] = [skill.sidecar.version, than.sidecar.version];
  return other !== undefined && (version === undefined || semver.lt(version, other));
}
