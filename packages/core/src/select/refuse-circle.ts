import { SkillError } from '../execute/skill-error.ts';
import type { PreparedSkill } from './prepared/prepared-catalog.ts';

/**
 * Throws `SKILL_CYCLE` when needed skills require one another in a circle. The message names the chain, from the skill
 * that would come first in order; `details.chain` is the same as a list, its first id again at its end.
 */
export function refuseCircle(skills: readonly PreparedSkill[], isNeeded: Uint8Array): void {
  const start = isNeeded.findIndex((needed, place) => needed === 1 && isCircular(skills, place));
  if (start === -1) return;
  const chain = circleFrom(skills, start).map((place) => skills[place]?.skill.id ?? '');
  throw new SkillError(
    'SKILL_CYCLE',
    `these skills require one another in a circle: ${chain.join(' → ')}; exclude one of them, or take one requires out of an ambit.yaml`,
    { details: { chain } },
  );
}

/** Whatever is circular requires something that is: so the walk comes back to a place where it has been. */
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
