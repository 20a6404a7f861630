import { describe, expect, test } from 'vitest';
import { someSkill } from '../testing/some-skill.ts';
import { partsOfId, skillIdOf } from './id-parts.ts';
import { meaningsOf, placesByIdAndName, SkillId } from './skill-id.ts';
import { skillNamed } from './skill-named.ts';

test.each(['docx', 'acme:docx', 'a-b:c-1'])('accepts the id %s', (id) => {
  expect(SkillId.parse(id)).toBe(id);
  const { namespace, name } = partsOfId(id);
  expect(skillIdOf(namespace, name)).toBe(id);
});

test.each([
  '',
  ':',
  'acme:',
  ':docx',
  'a:b:c',
  'Acme:docx',
  'acme:doc_x',
  'acme/docx',
  `${'a'.repeat(65)}:b`,
])('refuses the id %j and says what an id is', (id) => {
  expect(SkillId.safeParse(id).error?.issues.map(({ message }) => message)).toEqual([
    'an id is a name, or namespace:name; both are 1–64 of a-z, 0-9 and single hyphens',
  ]);
});

test('finds a place by id, and by a name that one id has', () => {
  expect([...placesByIdAndName(['pdf', 'acme:pdf', 'acme:docx', 'a:run', 'b:run'])].sort()).toEqual([
    ['a:run', 3],
    ['acme:docx', 2],
    ['acme:pdf', 1],
    ['b:run', 4],
    ['docx', 2],
    ['pdf', 0],
  ]);
});

test('a reference in a skill means a skill of its own namespace first', () => {
  expect(meaningsOf('pdf', 'acme:docx')).toEqual(['acme:pdf', 'pdf']);
  expect(meaningsOf('other:pdf', 'acme:docx')).toEqual(['other:pdf']);
  expect(meaningsOf('pdf', 'docx')).toEqual(['pdf']);
});

describe('the skill that a caller names', () => {
  const skills = [someSkill('pdf'), someSkill('acme:pdf'), someSkill('acme:docx'), someSkill('a:run')];
  const broken = [
    { id: 'b:run', root: '/b/run', problem: 'no description' },
    { id: 'acme:bent', root: '/acme/bent', problem: 'no description' },
  ];
  const named = (id: string) => skillNamed(id, { skills, broken });

  test.each([
    ['has the id', 'acme:pdf', 'acme:pdf'],
    ['has the name and no namespace, although others have the name', 'pdf', 'pdf'],
    ['is the only one with the name', 'docx', 'acme:docx'],
    ['has the id, as the name of its tool', 'acme__pdf', 'acme:pdf'],
    ['is unusable and the only one with the name', 'bent', 'acme:bent'],
  ])('%s', (_, id, expected) => {
    expect(named(id)?.id).toBe(expected);
  });

  test.each(['none', 'b:docx', 'acme', 'acme__none', 'acme__'])('does not exist: %s', (id) => {
    expect(named(id)).toBeUndefined();
  });

  test('is ambiguous if several have the name, usable or not', () => {
    expect(named('run')).toEqual({
      id: 'run',
      root: '',
      code: 'SKILL_AMBIGUOUS',
      problem: 'a:run, b:run have this name; use one of these ids',
    });
  });
});
