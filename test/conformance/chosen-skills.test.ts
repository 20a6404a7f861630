// The requests of wreckit's research: versions, tags, campaigns and sections, several phases, a
// budget with priorities, and a cache that is never stale.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leftOutText, type SelectionRequest, selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';
import { skillsOnDisk } from './support/skills-on-disk.ts';

const skills = [
  aSkill('anyone'),
  aSkill('everywhere', { phases: ['*'] }),
  aSkill('launch', { campaigns: ['Spring'], tags: ['copy', 'web'] }),
  aSkill('billing', { sections: ['billing'], tags: ['money'] }),
  aSkill('both', { campaigns: ['spring'], sections: ['billing'], phases: ['plan', 'pr'] }),
];

function ids(request: SelectionRequest): string[] {
  return selectSkills({ skills }, request).skills.map(({ skill }) => skill.id);
}

describe('selection', () => {
  test.each<[SelectionRequest, string[]]>([
    [{ phase: 'plan' }, ['anyone', 'billing', 'both', 'everywhere', 'launch']],
    [{ phase: 'research' }, ['anyone', 'billing', 'everywhere', 'launch']],
    [{ phase: 'PR', campaign: 'SPRING' }, ['anyone', 'billing', 'both', 'everywhere', 'launch']],
    [{ campaign: 'autumn' }, ['anyone', 'billing', 'everywhere']],
    [{ section: 'search' }, ['anyone', 'everywhere', 'launch']],
    [{ campaign: 'spring', section: 'billing' }, ['anyone', 'billing', 'both', 'everywhere', 'launch']],
    [{ tags: ['web', 'none'] }, ['launch']],
  ])('selects skills by %j', (request, expected) => {
    expect(ids(request)).toEqual(expected);
  });

  test('selects skills within a budget, in order of priority', () => {
    const costly = ['c', 'a', 'b'].map((id, index) => aSkill(id, { priority: index }, { body: 'x' }));
    const { skills: selected, leftOut } = selectSkills({ skills: costly }, { budgetTokens: 2 }, () => 1);
    expect(selected.map(({ skill }) => skill.id)).toEqual(['c', 'a']);
    expect(leftOut.map(leftOutText)).toEqual(['b needs 1 tokens, and the budget has 0 left']);
  });
});

test('caches more than twenty skills, reads none again, and shows an edit at the next call', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `skill-${index}`);
  const { folder, catalog } = await skillsOnDisk(Object.fromEntries(names.map((name) => [name, {}])));
  const first = await catalog.list();
  expect(first).toHaveLength(30);
  expect(await catalog.list()).toBe(first);
  await writeFile(join(folder, 'skill-7/SKILL.md'), '---\nname: skill-7\ndescription: Other.\n---\n');
  await rm(join(folder, 'skill-8'), { recursive: true });
  const second = await catalog.list();
  const kept = second.filter((skill) => first.includes(skill)).map(({ id }) => id);
  expect(kept.toSorted()).toEqual(names.filter((name) => !/^skill-[78]$/.test(name)).toSorted());
  expect(second.find(({ id }) => id === 'skill-7')?.manifest.description).toBe('Other.');
});
