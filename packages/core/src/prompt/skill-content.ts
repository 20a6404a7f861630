import { type Skill, skillFileOf } from '../skill/skill.ts';
import { filledBody } from './filled-body.ts';
import { skillAttributes } from './xml/skill-element.ts';
import { xmlText } from './xml/xml-text.ts';

/**
 * The maximum number of listed resources, so that activating a skill with a thousand files does not
 * fill the context.
 */
const resourcesMax = 100;

/**
 * A skill for a model that has just activated it: its instructions, its folder, and its other files
 * by name. The model reads the files that the instructions mention. Lists up to 100, in order of
 * path, and `more` counts the rest; `SKILL.md` and `ambit.yaml` are not listed. Follows the Agent
 * Skills guide for clients ("structured wrapping"). Everything from the skill is escaped.
 *
 * `folder` replaces the placeholders for the skill's folder, by default where it is; `task` those for the arguments of a
 * request. What has no value is named in a note.
 */
export function skillContent(
  skill: Skill,
  given: { folder?: string | undefined; task?: string | undefined } = {},
): string {
  const { root, files } = skill;
  const { text, left } = filledBody(skill, given);
  const resources = files
    .map(({ path }) => path)
    .filter((path) => path !== skillFileOf(skill) && path !== 'ambit.yaml');
  return [
    `<skill_content ${skillAttributes(skill)}>${xmlText(text)}`,
    `<skill_directory note="paths in the instructions are relative to it">${xmlText(root)}</skill_directory>`,
    ...(left.length === 0
      ? []
      : [`<skill_note>These have no value here: ${xmlText(left.join(', '))}</skill_note>`]),
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
