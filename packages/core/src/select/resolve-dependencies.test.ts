import { describe, expect, test } from 'vitest';
import type { SkillError } from '../execute/skill-error.ts';
import type { Skill } from '../skill/skill.ts';
import type { SelectionRequest } from './selection.ts';
import { selectSkills } from './skill-selector.ts';
import { aSkill } from './testing/a-skill.ts';
import { ids, reasons } from './testing/ask.ts';

describe('dependencies', () => {
  const tool = (version?: string): ReturnType<typeof aSkill> =>
    aSkill('tool', { phases: ['other'], ...(version === undefined ? {} : { version }) });
  const user = (id: string, range: string): ReturnType<typeof aSkill> =>
    aSkill(id, { requires: { tool: range } });

  test.each([
    ['^1.0.0', '1.4.0', true],
    ['^1.0.0', '2.0.0', false],
    ['*', '3.0.0', true],
    ['*', undefined, true],
    ['x', '1.0.0-beta.1', true],
    ['>=0.1.0', undefined, false],
    ['>=0', undefined, true],
    ['^2.0.0', '2.0.0-beta.1', false],
    ['^2.0.0-beta.1', '2.0.0-beta.2', true],
  ])('the range %s and the version %s', (range, version, isMet) => {
    const request = { phase: 'plan' };
    expect(ids([tool(version), user('a', range)], request)).toEqual(isMet ? ['tool', 'a'] : []);
  });

  test('what is wrong with one is said with its version and range, and takes its dependents with it', () => {
    const skills = [
      tool('1.4.0'),
      user('a', '^2'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { ghost: '^1' } }),
      aSkill('d'),
      aSkill('e', { requires: { d: '^1' } }),
    ];
    expect(reasons(skills, { phase: 'plan' }).sort()).toEqual([
      'a requires tool ^2, and the catalog has 1.4.0',
      'b requires a *, and a is left out itself',
      'c requires ghost ^1, which is not in the catalog',
      'e requires d ^1, and the d in the catalog states no version',
      'tool is for the phases other',
    ]);
  });

  test('two that ask for one dependency in ranges without a common version are both named', () => {
    const skills = [tool('1.4.0'), user('a', '^2'), user('b', '^1'), user('c', '>=1')];
    expect(selectSkills({ skills }, {}).leftOut).toEqual([
      {
        id: 'a',
        reason: {
          kind: 'dependency',
          on: 'tool',
          detail: 'a requires tool ^2, and b requires tool ^1, which 1.4.0 satisfies; both cannot be had',
        },
      },
    ]);
    expect(reasons(skills, { exclude: ['b'] })[0]).toEqual('a requires tool ^2, and the catalog has 1.4.0');
  });

  test('what is excluded takes along all that require it, itself or through others', () => {
    const skills = [
      aSkill('a'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { b: '*' } }),
      aSkill('d'),
    ];
    expect(ids(skills, { exclude: ['a'] })).toEqual(['d']);
    expect(reasons(skills, { exclude: ['a'] })).toEqual([
      'a is excluded by the request',
      'b requires a *, and a is left out itself',
      'c requires b *, and b is left out itself',
    ]);
  });

  test('what only a skill that cannot be had requires does not come', () => {
    const skills = [tool('1.0.0'), aSkill('a', { requires: { tool: '*', ghost: '*' } })];
    expect(ids(skills, { phase: 'plan' })).toEqual([]);
  });
});

describe('a circle', () => {
  const needs = (id: string, on: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { requires: { [on]: '*' }, ...more });

  test('among the chosen is refused with its chain, beginning with the first in order', () => {
    const error = refusal(
      [needs('x', 'c'), needs('c', 'b'), needs('b', 'a', { phases: ['q'] }), needs('a', 'c')],
      { phase: 'p' },
    );
    expect([error.code, error.message, error.details]).toEqual([
      'SKILL_CYCLE',
      'these skills require one another in a circle: a → c → b → a; exclude one of them, or take one requires out of an ambit.yaml',
      { chain: ['a', 'c', 'b', 'a'] },
    ]);
  });

  test('of one skill is one as well', () => {
    expect(refusal([needs('a', 'a')]).details).toEqual({ chain: ['a', 'a'] });
  });

  test('among others does not matter, nor one of which a member is excluded', () => {
    const skills = [needs('a', 'b', { phases: ['q'] }), needs('b', 'a', { phases: ['q'] }), aSkill('c')];
    expect(ids(skills, { phase: 'p' })).toEqual(['c']);
    expect(ids(skills, { exclude: ['b'] })).toEqual(['c']);
    expect(refusal(skills, { phase: 'q' }).code).toBe('SKILL_CYCLE');
  });
});

function refusal(skills: readonly Skill[], request: SelectionRequest = {}): SkillError {
  try {
    selectSkills({ skills }, request);
  } catch (error) {
    return error as SkillError;
  }
  throw new Error('nothing was refused');
}
