import { modelLine } from '../model-text/model-text.ts';

/** What stands above an index of skills. */
export const indexHeader = 'AVAILABLE SKILLS (consult when relevant using Read tool):';

/** A skill as an index lists it; `path` is where its instructions can be read. */
interface ListedSkill {
  id: string;
  name: string;
  description: string;
  path: string;
}

/**
 * The index of an agent's skills for its prompt: a header and two lines a skill, in the order given. Each value is on one
 * line, so that no description forges an entry, and no tag in it is left (`modelLine`). Names and descriptions end after 1024
 * characters. Without entries: the empty string.
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
