// What users of boternity's skills rely on: dependencies, versions and conflicts.
import { describe, expect, test } from 'vitest';
import {
  leftOutText,
  type Selection,
  type Skill,
  SkillError,
  selectSkills,
} from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

function ids({ skills }: Selection): string[] {
  return skills.map(({ skill }) => skill.id);
}

function requiring(id: string, requires: Record<string, string>, more: object = {}): Skill {
  return aSkill(id, { version: '1.0.0', requires, ...more });
}

test('orders dependencies first and includes a shared one once', () => {
  const skills = [
    requiring('app', { left: '^1', right: '^1' }),
    requiring('left', { foot: '^1' }),
    requiring('right', { foot: '>=1.0.0' }),
    requiring('foot', {}, { phases: ['elsewhere'], agents: ['somebody'] }),
  ];
  const selection = selectSkills({ skills }, { phase: 'plan', agent: 'dev' });
  expect(ids(selection)).toEqual(['foot', 'left', 'right', 'app']);
  expect(selection.skills[0]?.because).toEqual({ kind: 'dependency', of: 'left' });
});

test('reports a cycle with its chain, and ignores a cycle outside the selection', () => {
  const circle = ['a', 'b', 'c'].map((id, at) =>
    requiring(id, { [['b', 'c', 'a'][at] ?? '']: '*' }, { phases: ['x'] }),
  );
  const skills = [...circle, aSkill('free', { phases: ['y'] })];
  expect(() => selectSkills({ skills }, { phase: 'x' })).toThrow(
    new SkillError(
      'SKILL_CYCLE',
      'these skills require each other in a circle: a → b → c → a; exclude one of them, or remove a requires from an ambit.yaml',
      { details: { chain: ['a', 'b', 'c', 'a'] } },
    ),
  );
  expect(ids(selectSkills({ skills }, { phase: 'y' }))).toEqual(['free']);
  expect(ids(selectSkills({ skills }, { phase: 'x', exclude: ['b'] }))).toEqual([]);
});

test('names both skills that require incompatible versions of a third', () => {
  const skills = [
    requiring('old', { lib: '^1.0.0' }),
    requiring('new', { lib: '^2.0.0' }),
    aSkill('lib', { version: '1.9.0' }),
  ];
  const selection = selectSkills({ skills }, {});
  expect(ids(selection)).toEqual(['lib', 'old']);
  expect(selection.leftOut.map(leftOutText)).toEqual([
    'new requires lib ^2.0.0, but old requires lib ^1.0.0, which 1.9.0 satisfies; exclude one of them',
  ]);
});

test('leaves out a missing dependency with its dependents and no other skill', () => {
  const skills = [requiring('a', { ghost: '^1' }), requiring('b', { a: '^1' }), aSkill('c')];
  const selection = selectSkills({ skills }, {});
  expect(ids(selection)).toEqual(['c']);
  expect(selection.leftOut.map(leftOutText)).toEqual([
    'a requires ghost ^1, which is not in the catalog',
    'b requires a ^1, but a 1.0.0 is left out',
  ]);
});

describe('conflicts', () => {
  test.each([
    ['declared by the first', [aSkill('one', { conflicts: ['two'] }), aSkill('two')]],
    ['declared by the second', [aSkill('one'), aSkill('two', { conflicts: ['one'] })]],
  ])('applies a conflict in both directions, %s', (_, skills) => {
    const selection = selectSkills({ skills }, {});
    expect(ids(selection)).toEqual(['one']);
    expect(selection.leftOut).toEqual([{ id: 'two', reason: { kind: 'conflict', with: 'one' } }]);
    expect(ids(selectSkills({ skills }, { exclude: ['one'] }))).toEqual(['two']);
  });
});
