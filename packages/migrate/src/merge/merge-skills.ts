import type { Skill } from '@ambit/core';

/** The parts of a skill that decide how it is merged. */
export type MergedSkill = Pick<Skill, 'id' | 'digest'> & { sidecar: Pick<Skill['sidecar'], 'phases'> };

/**
 * The handling of an existing skill: `append` preserves its definition and adds the learned skill's
 * phases; `replace` takes the learned skill; `ask` asks the user about each.
 */
export type MergeMode = 'append' | 'replace' | 'ask';

/** Phases before and after; an empty list means every phase. */
export interface PhaseChange {
  before: readonly string[];
  after: readonly string[];
}

/** The action for one learned skill. */
export type MergeAction =
  | { kind: 'add'; id: string; phases: PhaseChange }
  /** Nothing changes. `same`: both skills are equal. `declined`: the user answered no. */
  | { kind: 'keep'; id: string; why: 'same' | 'no-new-phase' | 'declined' }
  /** The definition stays and gets these phases. */
  | { kind: 'extend'; id: string; phases: PhaseChange }
  | { kind: 'replace'; id: string; phases: PhaseChange }
  /** The user's answer turns it into `replace`, or into `keep` with `declined`. */
  | { kind: 'ask'; id: string; phases: PhaseChange };

/**
 * Decides how to merge learned skills into existing ones: one action for each learned skill, sorted by
 * id. New skills are added in every mode. Other existing skills stay and get no action.
 *
 * A learned skill without phases adds none: it may not widen an existing definition to every phase. An
 * existing skill for every phase stays so.
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
