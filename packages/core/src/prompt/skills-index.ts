import { modelLine } from '../model-text/model-text.ts';

/** The header of an index of skills. */
export const indexHeader = 'AVAILABLE SKILLS (consult when relevant using Read tool):';

/** A skill as listed in an index; `path` leads to its instructions. */
interface ListedSkill {
  id: string;
  name: string;
  description: string;
  path: string;
}

/**
 * The index of an agent's skills for its prompt: a header and two lines a skill, in the given
 * order. Each value is on one line and without tags (`modelLine`), so no description forges an
 * entry. Names and descriptions are cut at 1024 characters. Without entries: the empty string.
 */
export function availableSkillsIndex(entries: readonly ListedSkill[]): string {
  if (entries.length === 0) return '';
  return [indexHeader, ...entries.map(indexEntry)].join('\n');
}

/** The two lines of one skill. */
export function indexEntry({ id, name, description, path }: ListedSkill): string {
  return `  ${modelLine(id)}: ${modelLine(name)} — ${modelLine(description)}\n    → ${modelLine(path, pathCharactersMax)}`;
}

const pathCharactersMax = 4096;
