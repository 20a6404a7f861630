import { modelText, type Skill } from '@ambit/core';
import { readListedFile } from '@ambit/runtime';
import { jsonSchema, type Tool, tool } from 'ai';
import { unknownSkill } from './activate-skill.ts';

/** More than any text that a model should read at once. */
const fileBytesMax = 256 * 1024;

/** The tool that reads one of the files that belong to a skill, and no other file: see `skillFileText`. */
export function readSkillFile(skills: readonly Skill[]): Tool<{ name: string; path: string }, string> {
  return tool({
    description: 'Reads a text file of a skill, such as one in its references/ or assets/.',
    inputSchema: jsonSchema<{ name: string; path: string }>({
      type: 'object',
      properties: {
        name: { type: 'string', enum: skills.map(({ id }) => id) },
        path: { type: 'string', description: "Relative to the skill's folder." },
      },
      required: ['name', 'path'],
      additionalProperties: false,
    }),
    async execute({ name, path }) {
      const skill = skills.find(({ id }) => id === name);
      return skill === undefined ? unknownSkill(name, skills) : await skillFileText(skill, path);
    },
  });
}

/**
 * A skill's file, or in words why there is none. Only a path that the skill's digest covers is opened, and only bytes
 * that it covers are given out: neither `..` nor a link, nor a swap in between, leads out of the folder.
 */
export async function skillFileText(skill: Skill, path: string): Promise<string> {
  const file = skill.files.find((each) => each.path === path);
  if (file === undefined) return noSuchFile(skill, path);
  if (file.bytes > fileBytesMax) return `${path} has ${file.bytes} bytes; at most ${fileBytesMax} are read.`;
  const content = await readListedFile(skill, file).catch(() => undefined);
  if (content === undefined)
    return `${path} is a link, or has changed since the skill was listed; try again.`;
  try {
    return modelText(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    return `${path} is not text: ${file.bytes} bytes of something else.`;
  }
}

function noSuchFile({ id, files }: Skill, path: string): string {
  const some = files.slice(0, 50).map((file) => file.path);
  return `${id} has no file ${JSON.stringify(path)}; it has ${some.join(', ')}${files.length > 50 ? ', …' : ''}`;
}
