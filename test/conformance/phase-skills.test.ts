// The features of agentium's manifest that users rely on: the skills of a phase and their order.
import { describe, expect, test } from 'vitest';
import { selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

const skills = [
  aSkill('end-notes', { priority: 90, phases: ['SHIP'] }),
  aSkill('ground-rules', { priority: 5 }),
  aSkill('signals', { priority: 30, phases: [] }),
  aSkill('harm', { priority: 10, phases: ['BUILD', 'BUILD_REVIEW', 'SHIP'] }),
  aSkill('build', { priority: 50, phases: ['BUILD'] }),
  aSkill('try', { priority: 60, phases: ['BUILD'] }),
  aSkill('second-reader', { priority: 91, phases: ['BUILD_REVIEW'] }),
  aSkill('tie-b', { priority: 70, phases: ['TIE'] }),
  aSkill('tie-a', { priority: 70, phases: ['TIE'] }),
];

function names(phase: string): string[] {
  return selectSkills({ skills }, { phase }).skills.map(({ skill }) => skill.id);
}

describe('the skills of a phase', () => {
  test.each([
    ['BUILD', ['ground-rules', 'harm', 'signals', 'build', 'try']],
    ['build', ['ground-rules', 'harm', 'signals', 'build', 'try']],
    ['BUILD_REVIEW', ['ground-rules', 'harm', 'signals', 'second-reader']],
    ['SHIP', ['ground-rules', 'harm', 'signals', 'end-notes']],
    ['TIE', ['ground-rules', 'signals', 'tie-a', 'tie-b']],
    ['NOBODY_KNOWS', ['ground-rules', 'signals']],
    ['', ['ground-rules', 'signals']],
  ])('selects for phase %s the universal skills and its own, by priority', (phase, expected) => {
    expect(names(phase)).toEqual(expected);
  });
});

test('never includes a reviewer in another phase', () => {
  for (const phase of ['BUILD', 'SHIP', 'SHIP_REVIEW', 'BUILD_', 'REVIEW', '*']) {
    expect(names(phase)).not.toContain('second-reader');
  }
  expect(names('BUILD_REVIEW')).toContain('second-reader');
});

test('includes all skills by priority without a phase', () => {
  const all = selectSkills({ skills }, {}).skills.map(({ skill }) => skill.sidecar.priority);
  expect(all).toEqual([5, 10, 30, 50, 60, 70, 70, 90, 91]);
});

test('orders skills selected by name by priority and skips unknown names', () => {
  const { skills: selected, leftOut } = selectSkills(
    { skills: skills.filter(({ sidecar }) => sidecar.phases.length > 0) },
    { phase: 'none', include: ['try', 'ghost', 'harm'] },
  );
  expect(selected.map(({ skill }) => skill.id)).toEqual(['harm', 'try']);
  expect(leftOut.at(-1)).toEqual({ id: 'ghost', reason: { kind: 'unknown', namedBy: 'include' } });
});

test('uses the first of two skills with the same id and reports the other', () => {
  const doubled = [...skills, { ...aSkill('build', { priority: 1 }), root: '/elsewhere/build' }];
  const { skills: selected, warnings } = selectSkills({ skills: doubled }, { phase: 'BUILD' });
  expect(selected.map(({ skill }) => skill.id)).toEqual(names('BUILD'));
  expect(warnings[0]).toEqual(
    'skill build in /elsewhere/build is ignored: /skills/build already has that id',
  );
});
