import type { PreparedSkill } from './prepared/prepared-catalog.ts';
import { lostText } from './prepared/requirement.ts';
import type { LeftOutReason } from './selection.ts';

/** The skills that remain after conflicts are resolved. */
export interface ResolvedConflicts {
  /** The places of the remaining skills, in order. */
  places: readonly number[];
  /** By place: why a needed skill is left out. */
  reasons: ReadonlyMap<number, LeftOutReason>;
}

/**
 * The third step of a selection: of two conflicting skills, the later in order is left out.
 *
 * Walks the needed skills (by place, 1) in order. A skill stays unless it conflicts with a staying
 * skill, or one of its dependencies is left out. A skill that is left out excludes no other. Then
 * come orphans: skills that stay, that nothing wanted and that no staying skill requires. They are
 * removed for good. Because an orphan may have excluded another skill, the walk is repeated without
 * them until there are none. Each walk removes at least one skill, and removed skills never return,
 * so this terminates. A skill that requires an orphan in a later walk is left out.
 */
export function resolveConflicts(
  skills: readonly PreparedSkill[],
  isCandidate: Uint8Array,
  isNeeded: Uint8Array,
): ResolvedConflicts {
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
    const isAlone = each.conflicts.length === 0 && each.requirements.length === 0;
    const reason = isAlone
      ? undefined
      : (conflictOf(skills, each, stands) ?? lostDependencyOf(each, stands, reasons));
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
  // An orphan was removed because of its dependents, so it is only the reason if nothing else is.
  const first = lost.find(({ place }) => place !== undefined && reasons.has(place)) ?? lost[0];
  if (first === undefined) return undefined;
  return { kind: 'dependency', on: first.id, detail: lostText(skill, first) };
}

function orphansOf(skills: readonly PreparedSkill[], isCandidate: Uint8Array, stands: Uint8Array): number[] {
  const isRequired = new Uint8Array(skills.length);
  const orphans: number[] = [];
  // Backward, because a dependent follows what it requires.
  for (let place = skills.length - 1; place >= 0; place--) {
    if (stands[place] === 0) continue;
    if (isCandidate[place] === 0 && isRequired[place] === 0) orphans.push(place);
    else
      for (const { place: required } of skills[place]?.requirements ?? [])
        if (required !== undefined) isRequired[required] = 1;
  }
  return orphans;
}
