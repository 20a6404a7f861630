import { expect, test } from 'vitest';
import { type MergedSkill, mergeSkills } from './merge-skills.ts';

const skill = (id: string, phases: string[] = [], digest = 'old'): MergedSkill => ({
  id,
  digest,
  sidecar: { phases },
});

const existing = [skill('everywhere'), skill('plan', ['plan']), skill('same', ['plan'])];
const learned = [
  skill('same', ['plan']),
  skill('plan', ['test', 'plan'], 'new'),
  skill('new', ['test'], 'new'),
  skill('everywhere', ['test'], 'new'),
];
const added = { kind: 'add', id: 'new', phases: { before: [], after: ['test'] } };
const same = { kind: 'keep', id: 'same', why: 'same' };

test('append preserves existing skills and unions the phases', () => {
  expect(mergeSkills(existing, learned, 'append')).toEqual([
    { kind: 'keep', id: 'everywhere', why: 'no-new-phase' },
    added,
    { kind: 'extend', id: 'plan', phases: { before: ['plan'], after: ['plan', 'test'] } },
    same,
  ]);
});

test.each(['replace', 'ask'] as const)('%s has an action for every skill that differs', (mode) => {
  expect(mergeSkills(existing, learned, mode)).toEqual([
    { kind: mode, id: 'everywhere', phases: { before: [], after: ['test'] } },
    added,
    { kind: mode, id: 'plan', phases: { before: ['plan'], after: ['test', 'plan'] } },
    same,
  ]);
});

test('does not widen a skill with phases by a learned skill without any', () => {
  expect(mergeSkills([skill('plan', ['plan'])], [skill('plan', [], 'new')], 'append')).toEqual([
    { kind: 'keep', id: 'plan', why: 'no-new-phase' },
  ]);
});

test('ignores the order of learned skills, and changes neither list', () => {
  const frozen = Object.freeze([...learned]);
  expect(mergeSkills(Object.freeze(existing), frozen, 'append')).toEqual(
    mergeSkills(existing, [...learned].reverse(), 'append'),
  );
});

test('returns no actions without learned skills', () => {
  expect(mergeSkills(existing, [], 'replace')).toEqual([]);
});
