import type { Candidacy } from './candidates.ts';
import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { refuseCircle } from './refuse-circle.ts';
import { requirementProblem } from './requirement-problem.ts';
import type { LeftOutReason } from './selection.ts';

/** The candidates that can be had, with all that they require. */
export interface Needed {
  /** By place: 1 for a skill that is wanted, or required by one that is, and can be had with all that it requires. */
  isNeeded: Uint8Array;
  /** By place: why a skill that is wanted, or required by one that is, cannot be had. */
  reasons: ReadonlyMap<number, LeftOutReason>;
}

/**
 * Rule 2 of design, section 6: takes in what the candidates require, whatever its own phase and agent, and leaves out
 * every skill that requires, itself or through others, what is excluded, missing or there in a wrong version.
 *
 * Throws `SKILL_CYCLE` when skills that remain require one another in a circle. Other circles do not matter.
 */
export function resolveDependencies(
  skills: readonly PreparedSkill[],
  candidacies: readonly Candidacy[],
  intersect: (a: string, b: string) => boolean,
): Needed {
  const wanted = [...candidacies.keys()].filter((place) => candidacies[place]?.isCandidate);
  const isLost = lostToExclusion(skills, candidacies);
  const canBeHad = (place: number): boolean => skills[place]?.isComplete === true && isLost[place] === 0;
  const isNeeded = withRequired(skills, wanted.filter(canBeHad));
  refuseCircle(skills, isNeeded);

  const reasons = new Map<number, LeftOutReason>();
  if (wanted.every(canBeHad)) return { isNeeded, reasons };
  const problemOf = requirementProblem(skills, isNeeded, intersect);
  for (const [place, isReached] of withRequired(skills, wanted).entries()) {
    if (isReached === 0 || canBeHad(place)) continue;
    const broken = skills[place]?.requirements.find(
      (each) => !each.isMet || each.place === undefined || !canBeHad(each.place),
    );
    // None: the skill is excluded itself, and that is why.
    if (broken === undefined) continue;
    reasons.set(place, { kind: 'dependency', on: broken.id, detail: problemOf(place, broken) });
  }
  return { isNeeded, reasons };
}

/** By place: 1 for what is excluded, and for all that requires it, itself or through others. */
function lostToExclusion(skills: readonly PreparedSkill[], candidacies: readonly Candidacy[]): Uint8Array {
  const excluded = [...candidacies.keys()].filter((place) => isExcluded(candidacies[place]));
  return closure(skills.length, excluded, (place) => skills[place]?.neededBy ?? []);
}

function isExcluded(candidacy: Candidacy | undefined): boolean {
  return candidacy?.isCandidate === false && candidacy.reason.kind === 'excluded';
}

function withRequired(skills: readonly PreparedSkill[], places: readonly number[]): Uint8Array {
  return closure(skills.length, places, (place) =>
    (skills[place]?.requirements ?? [])
      .map(({ place: required }) => required)
      .filter((each) => each !== undefined),
  );
}

/** By place: 1 for the places given and all that can be reached from them. */
function closure(
  count: number,
  from: readonly number[],
  next: (place: number) => readonly number[],
): Uint8Array {
  const isIn = new Uint8Array(count);
  const open = [...from];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (isIn[place] === 1) continue;
    isIn[place] = 1;
    for (const each of next(place)) if (isIn[each] === 0) open.push(each);
  }
  return isIn;
}
