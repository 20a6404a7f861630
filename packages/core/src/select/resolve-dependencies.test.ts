import { describe, expect, test } from 'vitest';
import type { SkillError } from '../outcome/skill-error.ts';
import type { Skill } from '../skill/skill.ts';
import { aSkill } from '../testing/a-skill.ts';
import { ids, reasons } from '../testing/ask.ts';
import type { SelectionRequest } from './selection.ts';
import { selectSkills } from './skill-selector.ts';

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

  test('a name means a skill of the same namespace first, and else the only one with the name', () => {
    const needs = (id: string, name: string) => aSkill(id, { phases: ['plan'], requires: { [name]: '*' } });
    const others = (...each: string[]) => each.map((id) => aSkill(id, { phases: ['other'] }));
    const request = { phase: 'plan' };
    const own = [needs('acme:a', 'tool'), ...others('tool', 'acme:tool', 'far:tool')];
    expect(ids(own, request)).toEqual(['acme:tool', 'acme:a']);
    expect(ids([needs('a', 'tool'), ...others('far:tool')], request)).toEqual(['far:tool', 'a']);
    expect(ids([needs('a', 'tool'), ...others('far:tool', 'acme:tool')], request)).toEqual([]);
    expect(ids([needs('acme:a', 'far:tool'), ...others('far:tool', 'acme:tool')], request)).toEqual([
      'far:tool',
      'acme:a',
    ]);
  });

  test('a problem with a dependency names its version and range, and also leaves out its dependents', () => {
    const skills = [
      tool('1.4.0'),
      user('a', '^2'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { ghost: '^1' } }),
      aSkill('d'),
      aSkill('e', { requires: { d: '^1' } }),
    ];
    expect(reasons(skills, { phase: 'plan' }).sort()).toEqual([
      'a requires tool ^2, but the catalog has 1.4.0',
      'b requires a *, but a is left out',
      'c requires ghost ^1, which is not in the catalog',
      'e requires d ^1, but d in the catalog has no version',
      'tool is only for the phase other',
    ]);
  });

  test('an excluded skill leaves out all that require it, directly or indirectly', () => {
    const skills = [
      aSkill('a'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { b: '*' } }),
      aSkill('d'),
    ];
    expect(ids(skills, { exclude: ['a'] })).toEqual(['d']);
    expect(reasons(skills, { exclude: ['a'] })).toEqual([
      'a is excluded by the request',
      'b requires a *, but a is left out',
      'c requires b *, but b is left out',
    ]);
  });

  test('a skill that only an unavailable skill requires is not added', () => {
    const skills = [tool('1.0.0'), aSkill('a', { requires: { tool: '*', ghost: '*' } })];
    expect(ids(skills, { phase: 'plan' })).toEqual([]);
  });
});

describe('a circle', () => {
  const needs = (id: string, on: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { requires: { [on]: '*' }, ...more });

  test('of one skill counts as well', () => {
    expect(refusal([needs('a', 'a')]).details).toEqual({ chain: ['a', 'a'] });
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
