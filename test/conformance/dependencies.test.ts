// The features of boternity's skills that users rely on: dependencies, versions and conflicts.
import { describe, expect, test } from 'vitest';
import { leftOutText, type Selection, type Skill, selectSkills } from '../../packages/core/src/index.ts';
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

test('leaves out a circle with its chain, and ignores a circle outside the selection', () => {
  const circle = ['a', 'b', 'c'].map((id, at) =>
    requiring(id, { [['b', 'c', 'a'][at] ?? '']: '*' }, { phases: [at === 0 ? 'x' : 'z'] }),
  );
  const skills = [
    ...circle,
    requiring('app', { a: '*' }, { phases: ['x'] }),
    requiring('top', { app: '*' }, { phases: ['x'] }),
    aSkill('free', { phases: ['x', 'y'] }),
  ];
  const selection = selectSkills({ skills }, { phase: 'x' });
  expect(ids(selection)).toEqual(['free']);
  const chain = ['a', 'b', 'c', 'a'];
  expect(selection.leftOut.map(({ id, reason }) => [id, reason])).toEqual([
    ['a', { kind: 'circle', chain }],
    [
      'app',
      {
        kind: 'dependency',
        on: 'a',
        detail: 'app requires a *, but a is in a circle of requirements: a → b → c → a',
      },
    ],
    ['b', { kind: 'circle', chain }],
    ['c', { kind: 'circle', chain }],
    ['top', { kind: 'dependency', on: 'app', detail: 'top requires app *, but app 1.0.0 is left out' }],
  ]);
  expect(selection.warnings.slice(1)).toEqual([
    'skills that require each other in a circle are left out: a → b → c → a',
  ]);
  const other = selectSkills({ skills }, { phase: 'y' });
  expect(ids(other)).toEqual(['free']);
  expect(other.warnings.filter((each) => each.includes('circle'))).toEqual([]);
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
