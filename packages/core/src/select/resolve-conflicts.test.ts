// Threat model: T127

import { describe, expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { ids, reasons } from '../testing/ask.ts';

describe('of two conflicting skills the later is left out', () => {
  const against = (id: string, other: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { conflicts: [other], ...more });

  test('and an untrusted one is later than all others, whatever its priority', () => {
    const evil = against('evil', 'safety', { priority: -1000 });
    const safety = aSkill('safety', { priority: 90 });
    expect(ids([evil, safety])).toEqual(['evil']);
    expect(ids([{ ...evil, tier: 'untrusted' }, safety])).toEqual(['safety']);
    expect(ids([{ ...evil, tier: 'untrusted' }, safety], { exclude: ['safety'] })).toEqual(['evil']);
  });

  test('and a skill that is left out excludes no other', () => {
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
      'only is only for the phase q',
      'b conflicts with a, which takes precedence',
      'c requires b *, but b is left out',
    ]);
  });

  test('and a dependency that is removed with its dependents excludes no other either', () => {
    const skills = [
      aSkill('a', { priority: 1 }),
      aSkill('dep', { priority: 2, phases: ['q'], conflicts: ['rival'] }),
      aSkill('rival', { priority: 3 }),
      against('user', 'a', { requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['a', 'rival']);
    expect(ids(skills, { phase: 'p', exclude: ['a'] })).toEqual(['dep', 'user']);
  });

  test('and this terminates, because removed skills never return', () => {
    const skills = [
      aSkill('dep', { priority: 1, phases: ['q'], conflicts: ['e'] }),
      aSkill('e', { priority: 2, conflicts: ['k'] }),
      aSkill('k', { priority: 3, conflicts: ['x'] }),
      aSkill('x', { priority: 4, requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['e']);
  });
});
