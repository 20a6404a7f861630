// Threat model: T134

import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import { skillNamed } from '@ambit/core/skill';
import { expect, test } from 'vitest';
import { visibleCatalog } from './visible-catalog.ts';

/** A catalog with these ids, limited to some of them. */
function catalogOf(ids: readonly string[], visible: readonly string[]): Catalog {
  const skills = ids.map((id) => ({ id }) as Skill);
  const broken: BrokenSkill[] = [];
  const whole: Catalog = {
    find: async (id) => skillNamed(id, { skills, broken }),
    list: async () => skills,
    broken: async () => broken,
  };
  return visibleCatalog(whole, (id) => visible.includes(id));
}

test.each([
  ['a visible skill by its id', ['a:docx', 'b:docx'], ['a:docx'], 'a:docx', 'a:docx'],
  ['no other skill by its id', ['a:docx', 'b:docx'], ['a:docx'], 'b:docx', undefined],
  ['the only visible skill with a name', ['a:docx', 'b:docx'], ['a:docx'], 'docx', 'a:docx'],
  [
    'no hidden skill, although it is the only one with a visible name',
    ['a:docx'],
    ['docx'],
    'docx',
    undefined,
  ],
  [
    'a visible skill in place of a hidden one without a namespace',
    ['docx', 'a:docx'],
    ['a:docx'],
    'docx',
    'a:docx',
  ],
])('finds %s', async (_, ids, visible, asked, expected) => {
  expect((await catalogOf(ids, visible).find(asked))?.id).toBe(expected);
});

test('names only visible skills if a name is ambiguous', async () => {
  const ids = ['a:docx', 'b:docx', 'c:docx'];
  const problemOf = async (visible: string[]) => (await catalogOf(ids, visible).find('docx')) as BrokenSkill;
  expect(await problemOf(['docx', 'a:docx', 'b:docx'])).toMatchObject({
    code: 'SKILL_AMBIGUOUS',
    problem: 'a:docx, b:docx have this name; use one of these ids',
  });
});
