import { listedText } from '../../model-text/listed-text.ts';
import { tierMark } from '../../model-text/model-text.ts';
import { type Skill, skillLocation } from '../../skill/skill.ts';
import { xmlText } from './xml-text.ts';

/** Surrounds and separates the metadata of skills. */
export const metadataFrame = { begin: '<available_skills>\n', between: '\n', end: '\n</available_skills>' };

/**
 * Returns the part of skills that a model sees before it activates one: name, description and location of each, in
 * the given order. A skill with a description of ordinary length takes less than 100 tokens.
 * Without skills: the empty string.
 */
export function generateSkillMetadataXml(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const { begin, between, end } = metadataFrame;
  return begin + skills.map(skillMetadata).join(between) + end;
}

/** One skill's metadata. Its name is its unique id, by which it is activated; its alias means the same. */
export function skillMetadata(skill: Skill): string {
  const { id, alias, manifest, tier } = skill;
  const aliasElement = alias === undefined ? '' : `<alias>${xmlText(alias)}</alias>`;
  const description = tierMark(tier) + listedText(manifest.description);
  return `<skill><name>${xmlText(id)}</name>${aliasElement}<description>${xmlText(description)}</description><location>${xmlText(skillLocation(skill))}</location></skill>`;
}
