import type { Skill } from './skill.ts';

/** Where the instructions of a skill lie: an absolute path. */
export function skillLocation({ root }: Pick<Skill, 'root'>): string {
  return `${root.replace(/\/+$/, '')}/SKILL.md`;
}
