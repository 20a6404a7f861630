import { type ContextRequirement, plainLine } from '@ambit/core/skill';

/** A body for a wreckit skill, which has no instructions: its name, description, tools and context. */
export function wreckitBody(
  title: string,
  description: string,
  tools: readonly string[],
  context: readonly ContextRequirement[],
): string {
  return [
    `# ${plainLine(title)}`,
    plainLine(description),
    ...list('Tools', tools),
    ...list('Context', context.map(requirementText)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function list(heading: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [`## ${heading}`, items.map((item) => `- ${plainLine(item)}`).join('\n')];
}

function requirementText(requirement: ContextRequirement): string {
  const what = requirement.type.replace('_', ' ');
  const path = 'path' in requirement ? ` ${requirement.path}` : '';
  return `${what}${path}${requirement.description ? `: ${requirement.description}` : ''}`;
}
