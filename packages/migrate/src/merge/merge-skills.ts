import type { Skill } from '@ambit/core';

/** As much of a skill as merging decides by. */
export type MergedSkill = Pick<Skill, 'id' | 'digest'> & { sidecar: Pick<Skill['sidecar'], 'phases'> };

/**
 * What happens to a skill that is there already: `append` keeps its definition and adds the learned one's phases;
 * `replace` takes the learned one; `ask` leaves each to somebody.
 */
export type MergeMode = 'append' | 'replace' | 'ask';

/** Phases before and after; an empty list is every phase. */
export interface PhaseChange {
  before: readonly string[];
  after: readonly string[];
}

/** What is to be done with one learned skill. */
export type MergeAction =
  | { kind: 'add'; id: string; phases: PhaseChange }
  /** Nothing changes: `same`, it is the very same skill; `no-new-phase`; `declined`, somebody said no. */
  | { kind: 'keep'; id: string; why: 'same' | 'no-new-phase' | 'declined' }
  /** The definition stays, and gets these phases. */
  | { kind: 'extend'; id: string; phases: PhaseChange }
  | { kind: 'replace'; id: string; phases: PhaseChange }
  /** Answered, it is a `replace`, or a `keep` that was declined. */
  | { kind: 'ask'; id: string; phases: PhaseChange };

/**
 * Decides what becomes of learned skills beside those there are: one action for each of the learned, by id. A new one is
 * added in every mode. Those that exist and were not learned are not spoken of, and stay.
 *
 * A learned skill that names no phase adds none: that it fits everywhere is not for it to say of another's definition.
 * One that is there for every phase stays so.
 */
export function mergeSkills(
  existing: readonly MergedSkill[],
  learned: readonly MergedSkill[],
  mode: MergeMode,
): MergeAction[] {
  const known = new Map(existing.map((skill) => [skill.id, skill]));
  return learned
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .map((skill) => actionFor(known.get(skill.id), skill, mode));
}

function actionFor(known: MergedSkill | undefined, learned: MergedSkill, mode: MergeMode): MergeAction {
  const { id } = learned;
  const after = learned.sidecar.phases;
  if (known === undefined) return { kind: 'add', id, phases: { before: [], after } };
  if (known.digest === learned.digest) return { kind: 'keep', id, why: 'same' };
  const before = known.sidecar.phases;
  if (mode !== 'append') return { kind: mode, id, phases: { before, after } };
  const more = before.length === 0 ? [] : after.filter((phase) => !before.includes(phase));
  if (more.length === 0) return { kind: 'keep', id, why: 'no-new-phase' };
  return { kind: 'extend', id, phases: { before, after: [...before, ...more] } };
}
