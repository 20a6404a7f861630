import { describe, expect, test } from 'vitest';
import { aSkill } from './testing/a-skill.ts';
import { ids, reasons } from './testing/ask.ts';

describe('of two skills in conflict the later is left out', () => {
  const against = (id: string, other: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { conflicts: [other], ...more });

  test.each([
    ['when the earlier names it', [against('a', 'b'), aSkill('b')]],
    ['when the later names it', [aSkill('a'), against('b', 'a')]],
    ['when both do', [against('a', 'b'), against('b', 'a')]],
  ])('%s', (_, skills) => {
    expect(ids(skills)).toEqual(['a']);
    expect(reasons(skills)).toEqual(['b conflicts with a, which comes before it']);
    expect(ids(skills, { exclude: ['a'] })).toEqual(['b']);
  });

  test('and an untrusted one is later than all others, whatever its priority', () => {
    const evil = against('evil', 'safety', { priority: -1000 });
    const safety = aSkill('safety', { priority: 90 });
    expect(ids([evil, safety])).toEqual(['evil']);
    expect(ids([{ ...evil, tier: 'untrusted' }, safety])).toEqual(['safety']);
    expect(ids([{ ...evil, tier: 'untrusted' }, safety], { exclude: ['safety'] })).toEqual(['evil']);
  });

  test('and what is left out keeps nobody away', () => {
    expect(ids([aSkill('a'), against('b', 'a'), against('c', 'b')])).toEqual(['a', 'c']);
  });

  test('with its dependents, and with what only they required', () => {
    const skills = [
      aSkill('a'),
      against('b', 'a', { requires: { only: '*' } }),
      aSkill('c', { requires: { only: '*', b: '*' } }),
      aSkill('only', { phases: ['q'] }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['a']);
    expect(reasons(skills, { phase: 'p' })).toEqual([
      'only is for the phases q',
      'b conflicts with a, which comes before it',
      'c requires b *, and b is left out itself',
    ]);
  });

  test('and a dependency that goes with its dependents keeps nobody away either', () => {
    const skills = [
      aSkill('a', { priority: 1 }),
      aSkill('dep', { priority: 2, phases: ['q'], conflicts: ['rival'] }),
      aSkill('rival', { priority: 3 }),
      against('user', 'a', { requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['a', 'rival']);
    expect(ids(skills, { phase: 'p', exclude: ['a'] })).toEqual(['dep', 'user']);
  });

  test('even where nothing would come to rest, because what has gone stays gone', () => {
    const skills = [
      aSkill('dep', { priority: 1, phases: ['q'], conflicts: ['e'] }),
      aSkill('e', { priority: 2, conflicts: ['k'] }),
      aSkill('k', { priority: 3, conflicts: ['x'] }),
      aSkill('x', { priority: 4, requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['e']);
  });
});
