import { type Skill, skillContent } from '@ambit/core';
import { jsonSchema, type Tool, tool } from 'ai';

/**
 * The tool that gives the model a skill's instructions. Repeats them only if the skill has changed.
 */
export function activateSkill(
  skills: readonly Skill[],
  inPrompt: ReadonlySet<string>,
  activated: Map<string, string>,
): Tool<{ name: string }, string> {
  return tool({
    description:
      'Reads the instructions of a skill. Call it before a task that fits the description of the skill.',
    inputSchema: jsonSchema<{ name: string }>({
      type: 'object',
      properties: { name: { type: 'string', enum: skills.map(({ id }) => id) } },
      required: ['name'],
      additionalProperties: false,
    }),
    execute({ name }) {
      const skill = skills.find(({ id }) => id === name);
      if (skill === undefined) return unknownSkill(name, skills);
      if (inPrompt.has(name)) return `The instructions of ${name} are in your system prompt.`;
      if (activated.get(name) === skill.digest)
        return `You have the instructions of ${name} above; follow them.`;
      activated.set(name, skill.digest);
      return skillContent(skill);
    },
  });
}

/** The error for a skill that was not selected. */
export function unknownSkill(name: string, skills: readonly Skill[]): string {
  return `Unknown skill ${JSON.stringify(name)}. Available skills: ${skills.map(({ id }) => id).join(', ')}`;
}
