import type { Skill } from '../skill/skill.ts';
import { xmlText } from './xml/escape-xml.ts';
import { skillAttributes } from './xml/skill-element.ts';

/** How many resources are listed, so that a skill with a thousand files does not fill the context by being activated. */
const resourcesMax = 100;

/**
 * A skill for a model that has just activated it: its instructions, its folder, and which other files it has. The files
 * themselves are not in it; the model reads those that the instructions speak of. Up to 100 are listed, in order of
 * path, and `more` says how many are not; `SKILL.md` and `ambit.yaml` are none of them. After the Agent Skills' guide for
 * clients ("structured wrapping"), with everything from the skill escaped.
 */
export function skillContent(skill: Skill): string {
  const { body, root, files } = skill;
  const resources = files
    .map(({ path }) => path)
    .filter((path) => !['SKILL.md', 'ambit.yaml'].includes(path));
  return [
    `<skill_content ${skillAttributes(skill)}>${xmlText(body)}`,
    `<skill_directory note="paths in the instructions are relative to it">${xmlText(root)}</skill_directory>`,
    ...listed(resources.toSorted()),
    '</skill_content>',
  ].join('\n');
}

function listed(resources: readonly string[]): string[] {
  if (resources.length === 0) return [];
  const omitted = resources.length - resourcesMax;
  return [
    '<skill_resources>',
    ...resources.slice(0, resourcesMax).map((path) => `<file>${xmlText(path)}</file>`),
    ...(omitted > 0 ? [`<more>${omitted}</more>`] : []),
    '</skill_resources>',
  ];
}
