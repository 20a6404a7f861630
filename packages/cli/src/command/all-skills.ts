import type { SkillList } from '@ambit/api';
import type { AmbitClient } from '@ambit/client';

/** All skills of a daemon, some of the unusable folders, and the number of all unusable ones. */
export async function allSkills({
  skills: list,
}: Pick<AmbitClient, 'skills'>): Promise<Omit<SkillList, 'next'>> {
  const { next: first, ...found } = await list();
  const skills = [...found.skills];
  for (let after = first; after !== null; ) {
    const page = await list({ after });
    skills.push(...page.skills);
    after = page.next;
  }
  // Only the first page lists unusable folders.
  return { ...found, skills };
}
