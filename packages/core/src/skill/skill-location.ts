import type { Skill } from './skill.ts';

/** The absolute path of a skill's instructions. */
export function skillLocation({ root }: Pick<Skill, 'root'>): string {
  return `${root.replace(/\/+$/, '')}/SKILL.md`;
}
