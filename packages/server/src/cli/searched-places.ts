import { dirname, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Config } from '../config/config.ts';
import { shellWord } from '../config/shell-word.ts';
import { skillFolderAround, skillFolderBelow } from '../trust/skill-folder.ts';
import type { CommandContext } from './commands/command-context.ts';

/**
 * A `SKILL_NOT_FOUND` with where the configuration was looked for and, in the skill's own folder or beside it, how to have it found.
 * Any other error unchanged, and any of a daemon elsewhere: its configuration is not this one.
 */
export function withSearchedPlaces(
  error: unknown,
  { actions, terminal }: Pick<CommandContext, 'actions' | 'terminal'>,
  { file, daemon }: Pick<Config, 'file' | 'daemon'>,
  skillId: string,
): unknown {
  if (!(error instanceof SkillError) || error.code !== 'SKILL_NOT_FOUND' || daemon?.url !== undefined)
    return error;
  const cwd = terminal.cwd();
  const skill = skillFolderAround(cwd) ?? skillFolderBelow(cwd, skillId);
  const searched =
    file === undefined
      ? `No ambit.config.yaml was found in ${actions.configFolders().join(', ')}`
      : `The configuration is ${file}`;
  const message = [error.message, searched, ...(skill === undefined ? [] : [howToFind(skill, cwd, file)])];
  return new SkillError(error.code, message.join('. '), { cause: error, details: { ...error.details } });
}

function howToFind(skill: string, cwd: string, file: string | undefined): string {
  if (file !== undefined) {
    const path = relative(dirname(file), skill);
    return `It does not name this skill's folder; add to its skills: { path: ${JSON.stringify(path.startsWith('.') ? path : `./${path}`)}, tier: local }`;
  }
  const isBelow = skill.startsWith(join(cwd, '/'));
  const place = isBelow ? cwd : dirname(skill);
  const above = relative(cwd, place) || '.';
  const line = `skills: [{ path: ${JSON.stringify(`./${relative(place, skill)}`)}, tier: local }]`;
  return `To run the skill of ${isBelow ? relative(cwd, skill) : 'this folder'}: echo ${shellWord(line)} > ${shellWord(`${above}/ambit.config.yaml`)} && ambit trust ${shellWord(above)}`;
}
