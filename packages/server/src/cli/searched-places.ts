import { basename, dirname, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Config } from '../config/config.ts';
import { shellWord } from '../config/shell-word.ts';
import { skillFolderAround } from '../trust/skill-folder.ts';
import type { CommandContext } from './commands/command-context.ts';

/**
 * A `SKILL_NOT_FOUND` with where the configuration was looked for and, in a skill's own folder, how to have that skill found.
 * Any other error unchanged, and any of a daemon elsewhere: its configuration is not this one.
 */
export function withSearchedPlaces(
  error: unknown,
  { actions, terminal }: Pick<CommandContext, 'actions' | 'terminal'>,
  { file, daemon }: Pick<Config, 'file' | 'daemon'>,
): unknown {
  if (!(error instanceof SkillError) || error.code !== 'SKILL_NOT_FOUND' || daemon?.url !== undefined)
    return error;
  const cwd = terminal.cwd();
  const skill = skillFolderAround(cwd);
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
  const above = relative(cwd, dirname(skill)) || '.';
  const line = `skills: [{ path: ${JSON.stringify(`./${basename(skill)}`)}, tier: local }]`;
  return `To run the skill of this folder: echo ${shellWord(line)} > ${shellWord(`${above}/ambit.config.yaml`)} && ambit trust ${shellWord(above)}`;
}
