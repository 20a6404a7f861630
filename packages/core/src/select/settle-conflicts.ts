import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { lostText } from './prepared/requirement.ts';
import type { LeftOutReason } from './selection.ts';

/** What stands once conflicts are settled. */
export interface Settled {
  /** The places of the skills that stand, in order. */
  places: readonly number[];
  /** By place: why a needed skill does not stand. */
  reasons: ReadonlyMap<number, LeftOutReason>;
}

/**
 * Rule 3 of design, section 6: of two skills in conflict the later in order is left out.
 *
 * The needed skills (by place, 1) are walked in order. One that conflicts with a skill that stands so far is left
 * out; one whose dependency does not stand is left out too; every other stands. What has itself been left out keeps nobody
 * away. Then come the orphans: skills that stand, were wanted by nobody and are required by none that stands. They are
 * taken away for good, and because one of them may have kept another skill away, the walk is made again without them,
 * until there is none. Each walk takes away at least one skill, so it ends; what is taken away never comes back, so it
 * does not go in circles, and a skill that comes to require an orphan in a later walk is left out.
 */
export function settleConflicts(
  skills: readonly PreparedSkill[],
  isCandidate: Uint8Array,
  isNeeded: Uint8Array,
): Settled {
  const isOpen = isNeeded.slice();
  for (;;) {
    const { stands, reasons } = walk(skills, isOpen);
    const orphans = orphansOf(skills, isCandidate, stands);
    if (orphans.length === 0) {
      return { places: placesIn(stands), reasons };
    }
    for (const place of orphans) isOpen[place] = 0;
  }
}

function walk(
  skills: readonly PreparedSkill[],
  isOpen: Uint8Array,
): { stands: Uint8Array; reasons: Map<number, LeftOutReason> } {
  const stands = new Uint8Array(skills.length);
  const reasons = new Map<number, LeftOutReason>();
  for (const place of placesIn(isOpen)) {
    const each = skills[place] as PreparedSkill;
    const reason = conflictOf(skills, each, stands) ?? lostDependencyOf(each, stands, reasons);
    if (reason === undefined) stands[place] = 1;
    else reasons.set(place, reason);
  }
  return { stands, reasons };
}

function placesIn(marked: Uint8Array): number[] {
  const places: number[] = [];
  for (let place = 0; place < marked.length; place++) if (marked[place] === 1) places.push(place);
  return places;
}

function conflictOf(
  skills: readonly PreparedSkill[],
  { conflicts }: PreparedSkill,
  stands: Uint8Array,
): LeftOutReason | undefined {
  const other = conflicts.find((place) => stands[place] === 1);
  return other === undefined ? undefined : { kind: 'conflict', with: skills[other]?.skill.id ?? '' };
}

function lostDependencyOf(
  { skill, requirements }: PreparedSkill,
  stands: Uint8Array,
  reasons: ReadonlyMap<number, LeftOutReason>,
): LeftOutReason | undefined {
  const lost = requirements.filter(({ place }) => place !== undefined && stands[place] === 0);
  // An orphan went because its dependents did: it is not why they did, if anything else is.
  const first = lost.find(({ place }) => place !== undefined && reasons.has(place)) ?? lost[0];
  if (first === undefined) return undefined;
  return { kind: 'dependency', on: first.id, detail: lostText(skill, first) };
}

function orphansOf(skills: readonly PreparedSkill[], isCandidate: Uint8Array, stands: Uint8Array): number[] {
  const isRequired = new Uint8Array(skills.length);
  const orphans: number[] = [];
  // Backward: whatever requires a skill comes after it.
  for (let place = skills.length - 1; place >= 0; place--) {
    if (stands[place] === 0) continue;
    if (isCandidate[place] === 0 && isRequired[place] === 0) orphans.push(place);
    else
      for (const { place: required } of skills[place]?.requirements ?? [])
        if (required !== undefined) isRequired[required] = 1;
  }
  return orphans;
}
