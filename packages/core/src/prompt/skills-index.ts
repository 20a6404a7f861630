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

/** The lines of an index above which a composed prompt warns: the agent's attention is better spent on fewer skills. */
export const indexLinesUsual = 30;

/**
 * The index of an agent's skills for its prompt: a header and two lines a skill, in the given
 * order. Each value is on one line and without tags (`modelLine`), so no description forges an
 * entry. Names and descriptions are cut at 1024 characters. Without entries: the empty string.
 * With `maxLines`, the last entries that do not fit are left out.
 */
export function availableSkillsIndex(
  entries: readonly ListedSkill[],
  { maxLines = Number.POSITIVE_INFINITY }: { maxLines?: number | undefined } = {},
): string {
  const shown = entries.slice(0, entriesIn(maxLines));
  return shown.length === 0 ? '' : [indexHeader, ...shown.map(indexEntry)].join('\n');
}

/** The lines of an index with this many entries. */
export function indexLines(entries: number): number {
  return entries === 0 ? 0 : 1 + 2 * entries;
}

/** The number of entries that fit into this many lines. */
export function entriesIn(lines: number): number {
  return Math.max(0, Math.floor((lines - 1) / 2));
}

/** The two lines of one skill. */
export function indexEntry({ id, name, description, path }: ListedSkill): string {
  return `  ${modelLine(id)}: ${modelLine(name)} — ${modelLine(description)}\n    → ${modelLine(path, pathCharactersMax)}`;
}

const pathCharactersMax = 4096;
