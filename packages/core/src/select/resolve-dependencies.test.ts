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

  test('a skill that requires one for people only is left out with that reason, and included with it', () => {
    const secret = aSkill('secret', {}, { 'disable-model-invocation': true });
    const needy = aSkill('needy', { requires: { secret: '*' } });
    expect(reasons([secret, needy])).toContain(
      'needy requires secret *, but its SKILL.md hides secret from models; name it in "include"',
    );
    expect(ids([secret, needy], { include: ['secret'] })).toEqual(['secret', 'needy']);
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

describe('circles of requirements', () => {
  const requiring = (id: string, ...others: string[]) =>
    aSkill(id, { requires: Object.fromEntries(others.map((other) => [other, '*'])) });

  test('a skill that requires itself is left out, and the others are selected', () => {
    const skills = [requiring('a', 'a'), requiring('b', 'a'), aSkill('c')];
    expect(ids(skills)).toEqual(['c']);
    expect(reasons(skills)).toEqual([
      'a requires itself; remove an entry of requires in an ambit.yaml',
      'b requires a *, but a requires itself',
    ]);
  });

  test('of two circles that share a skill, each skill is left out with a circle that it is in', () => {
    const skills = [
      requiring('hub', 'left', 'right'),
      requiring('left', 'hub'),
      requiring('right', 'far'),
      requiring('far', 'hub'),
      requiring('bridge', 'hub', 'other'),
      requiring('other', 'more'),
      requiring('more', 'other'),
      aSkill('free'),
    ];
    expect(ids(skills)).toEqual(['free']);
    const because = (text: string) =>
      `is in a circle of requirements: ${text}; remove an entry of requires in an ambit.yaml`;
    expect(reasons(skills)).toEqual([
      'bridge requires hub *, but hub is in a circle of requirements: far → hub → right → far',
      `far ${because('far → hub → right → far')}`,
      `hub ${because('far → hub → right → far')}`,
      `left ${because('hub → left → hub')}`,
      `more ${because('more → other → more')}`,
      `other ${because('more → other → more')}`,
      `right ${because('far → hub → right → far')}`,
    ]);
  });

  test('a circle of fifty is named whole, and the chain of one of two hundred is cut', () => {
    const ring = (count: number) =>
      Array.from({ length: count }, (_, at) => requiring(`s-${at}`, `s-${(at + 1) % count}`));
    const chainOf = (count: number) => {
      const { skills, leftOut, warnings } = selectSkills({ skills: [...ring(count), aSkill('free')] }, {});
      expect(skills.map(({ skill }) => skill.id)).toEqual(['free']);
      expect(leftOut.length).toBe(count);
      expect(warnings.length).toBe(1);
      const chains = new Set(
        leftOut.map(({ reason }) => (reason.kind === 'circle' ? reason.chain : undefined)),
      );
      expect(chains.size).toBe(1);
      return [...chains][0];
    };
    const names = (count: number) => Array.from({ length: count }, (_, at) => `s-${at}`);
    expect(chainOf(50)).toEqual([...names(50), 's-0']);
    expect(chainOf(200)).toEqual(names(100));
  });

  test('a warning names at most 20 circles', () => {
    const pairs = Array.from({ length: 21 }, (_, at) => [
      requiring(`a-${at}`, `b-${at}`),
      requiring(`b-${at}`, `a-${at}`),
    ]).flat();
    const [warning = ''] = selectSkills({ skills: pairs }, {}).warnings;
    expect([warning.match(/→/g)?.length, warning.slice(-12)]).toEqual([40, '; and 1 more']);
  });

  test('an excluded skill of a circle is left out as excluded', () => {
    const skills = [requiring('a', 'b'), requiring('b', 'a')];
    expect(reasons(skills, { exclude: ['b'] })).toEqual([
      'a is in a circle of requirements: a → b → a; remove an entry of requires in an ambit.yaml',
      'b is excluded by the request',
    ]);
  });
});
