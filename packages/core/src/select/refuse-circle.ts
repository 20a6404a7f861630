import { SkillError } from '../outcome/skill-error.ts';
import type { PreparedSkill } from './prepared/prepared-catalog.ts';

/**
 * Throws `SKILL_CYCLE` if needed skills require each other in a circle. The message names the
 * chain, starting with the first skill in order. `details.chain` is the same list, with its first
 * id repeated at the end.
 */
export function refuseCircle(skills: readonly PreparedSkill[], isNeeded: Uint8Array): void {
  const start = isNeeded.findIndex((needed, place) => needed === 1 && isCircular(skills, place));
  if (start === -1) return;
  const chain = circleFrom(skills, start).map((place) => skills[place]?.skill.id ?? '');
  throw new SkillError(
    'SKILL_CYCLE',
    `these skills require each other in a circle: ${chain.join(' → ')}; exclude one of them, or remove a requires from an ambit.yaml`,
    { details: { chain } },
  );
}

/** Every circular skill requires another one, so the walk returns to a place it has visited. */
function circleFrom(skills: readonly PreparedSkill[], start: number): number[] {
  const walked: number[] = [];
  const seen = new Map<number, number>();
  let place = start;
  while (!seen.has(place)) {
    seen.set(place, walked.length);
    walked.push(place);
    place = skills[place]?.requirements.find((each) => isCircular(skills, each.place))?.place ?? place;
  }
  const circle = walked.slice(seen.get(place));
  const first = circle.indexOf(Math.min(...circle));
  return [...circle.slice(first), ...circle.slice(0, first), circle[first] ?? start];
}

function isCircular(skills: readonly PreparedSkill[], place: number | undefined): place is number {
  return place !== undefined && skills[place]?.isCircular === true;
}
