import { describe, expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { ids, reasons } from '../testing/ask.ts';
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

  test('a skill that only an unavailable skill requires is not added', () => {
    const skills = [tool('1.0.0'), aSkill('a', { requires: { tool: '*', ghost: '*' } })];
    expect(ids(skills, { phase: 'plan' })).toEqual([]);
  });
});

test('a skill that requires itself is refused as a circle', () => {
  const skills = [aSkill('a', { requires: { a: '*' } })];
  expect(() => selectSkills({ skills }, {})).toThrow(
    expect.objectContaining({ code: 'SKILL_CYCLE', details: { chain: ['a', 'a'] } }),
  );
});
