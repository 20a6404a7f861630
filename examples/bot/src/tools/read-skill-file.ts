import { modelText, type Skill } from '@ambit/core';
import { readListedFile } from '@ambit/runtime';
import { jsonSchema, type Tool, tool } from 'ai';
import { unknownSkill } from './activate-skill.ts';

/** More than a model should read in one call. */
const fileBytesMax = 256 * 1024;

/** The tool that reads the files of a skill, and no others. */
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
 * Returns a skill's file, or why it cannot be read. Opens only paths in the skill's digest, and
 * returns only content that matches it: neither `..` nor a symlink nor a replaced file leads out of
 * the folder.
 */
async function skillFileText(skill: Skill, path: string): Promise<string> {
  const file = skill.files.find((each) => each.path === path);
  if (file === undefined) return noSuchFile(skill, path);
  if (file.bytes > fileBytesMax) return `${path} has ${file.bytes} bytes; at most ${fileBytesMax} are read.`;
  const content = await readListedFile(skill, file).catch(() => undefined);
  if (content === undefined) return `${path} is a symlink or changed since the skill was listed; try again.`;
  try {
    return modelText(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    return `${path} is not text: ${file.bytes} bytes of binary data.`;
  }
}

function noSuchFile({ id, files }: Skill, path: string): string {
  const some = files.slice(0, 50).map((file) => file.path);
  return `${id} has no file ${JSON.stringify(path)}; it has ${some.join(', ')}${files.length > 50 ? ', …' : ''}`;
}
