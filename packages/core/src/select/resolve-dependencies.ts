import type { Candidates } from './candidates.ts';
import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { requirementProblem } from './requirement-problem.ts';
import type { LeftOutReason } from './selection.ts';

/** The available candidates, with everything that they require. */
export interface ResolvedCandidates {
  /**
   * By place: 1 for a skill that is wanted or required by a wanted skill, and whose requirements
   * are all met.
   */
  isNeeded: Uint8Array;
  /** By place: why a skill that is wanted or required is unavailable. */
  reasons: ReadonlyMap<number, LeftOutReason>;
}

/**
 * The second step of a selection. Adds what the candidates require, regardless of phase and agent.
 * Leaves out every skill that requires, directly or indirectly, a skill that is excluded, missing,
 * of a wrong version or in a circle of requirements.
 */
export function resolveDependencies(
  skills: readonly PreparedSkill[],
  { isCandidate, excluded }: Pick<Candidates, 'isCandidate' | 'excluded'>,
  intersect: (a: string, b: string) => boolean,
): ResolvedCandidates {
  const isLost = lostToExclusion(skills, excluded);
  const canBeHad = (place: number): boolean => skills[place]?.isComplete === true && isLost[place] === 0;
  const isNeeded = withRequired(
    skills,
    isCandidate.map((isWanted, place) => (isWanted === 1 && canBeHad(place) ? 1 : 0)),
  );

  const reasons = new Map<number, LeftOutReason>();
  if (isCandidate.every((isWanted, place) => isWanted === 0 || isNeeded[place] === 1))
    return { isNeeded, reasons };
  const problemOf = requirementProblem(skills, isNeeded, intersect);
  const isExcluded = new Set(excluded);
  for (const [place, isReached] of withRequired(skills, isCandidate).entries()) {
    if (isReached === 0 || canBeHad(place)) continue;
    if (isExcluded.has(place)) continue;
    const chain = skills[place]?.circle;
    if (chain !== undefined) {
      reasons.set(place, { kind: 'circle', chain });
      continue;
    }
    const broken = skills[place]?.requirements.find(
      (each) => !each.isMet || each.place === undefined || !canBeHad(each.place),
    );
    if (broken !== undefined)
      reasons.set(place, { kind: 'dependency', on: broken.id, detail: problemOf(place, broken) });
  }
  return { isNeeded, reasons };
}

/** By place: 1 for excluded skills and all that require them, directly or indirectly. */
function lostToExclusion(skills: readonly PreparedSkill[], excluded: readonly number[]): Uint8Array {
  const isLost = new Uint8Array(skills.length);
  const open = [...excluded];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (isLost[place] === 1) continue;
    isLost[place] = 1;
    for (const dependent of skills[place]?.neededBy ?? []) open.push(dependent);
  }
  return isLost;
}

/** By place: 1 for `wanted` skills and all that they require, directly or indirectly. */
function withRequired(skills: readonly PreparedSkill[], wanted: Uint8Array): Uint8Array {
  const isIn = wanted.slice();
  const open: number[] = [];
  const openRequired = (place: number): void => {
    for (const { place: required } of skills[place]?.requirements ?? []) {
      if (required === undefined || isIn[required] === 1) continue;
      isIn[required] = 1;
      open.push(required);
    }
  };
  for (let place = 0; place < wanted.length; place++) if (wanted[place] === 1) openRequired(place);
  for (let place = open.pop(); place !== undefined; place = open.pop()) openRequired(place);
  return isIn;
}
