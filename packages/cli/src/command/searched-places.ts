import { dirname, join, relative } from 'node:path';
import { SkillError } from '@ambit/core';
import { type Config, missingRoots } from '@ambit/server/config';
import { decisionText, scopeText, shellWord, skillFolderAround, skillFolderBelow } from '@ambit/server/trust';
import { daemonError } from '../output/daemon-error.ts';
import type { CommandContext } from './define-command.ts';

/**
 * Adds to a `SKILL_NOT_FOUND` which configuration was used. In or beside the skill's folder, adds how to configure it,
 * elsewhere which configured folders do not exist. Returns other errors unchanged, and all errors of a daemon at `--url`,
 * which has its own configuration.
 */
export async function withSearchedPlaces(
  thrown: unknown,
  { terminal, daemon: used }: Pick<CommandContext, 'terminal' | 'daemon'>,
  config: Pick<Config, 'file' | 'scope' | 'userFile' | 'daemon' | 'skills'>,
  skillId: string,
): Promise<unknown> {
  const { file, scope, daemon, skills } = config;
  const error = daemonError(thrown, used);
  if (!(error instanceof SkillError) || error.code !== 'SKILL_NOT_FOUND' || daemon?.url !== undefined)
    return thrown;
  const cwd = terminal.cwd();
  const skill = skillFolderAround(cwd) ?? skillFolderBelow(cwd, skillId);
  // The user's own configuration is for all folders: a skill of one folder makes it a project.
  const projectFile = scope.kind === 'user' ? undefined : file;
  const more = [
    `The configuration is ${scopeText(config)}`,
    ...(skill === undefined ? await missingRoots(skills) : [howToFind(skill, terminal, projectFile)]),
  ].join('. ');
  const message = `${error.message}${error.message.endsWith('?') ? '' : '.'} ${more}`;
  return new SkillError(error.code, message, { cause: error, details: { ...error.details } });
}

function howToFind(skill: string, terminal: CommandContext['terminal'], file: string | undefined): string {
  const cwd = terminal.cwd();
  if (file !== undefined) {
    const path = relative(dirname(file), skill);
    return `It does not include this skill's folder. Add to its skills: { path: ${JSON.stringify(path.startsWith('.') ? path : `./${path}`)}, tier: local }`;
  }
  const isBelow = skill.startsWith(join(cwd, '/'));
  const place = isBelow ? cwd : dirname(skill);
  const above = relative(cwd, place) || '.';
  const line = `skills: [{ path: ${JSON.stringify(`./${relative(place, skill)}`)}, tier: local }]`;
  const where = isBelow ? relative(cwd, skill) : 'this folder';
  return decisionText(
    terminal,
    `To run the skill in ${where}: echo ${shellWord(line)} > ${shellWord(`${above}/ambit.config.yaml`)} && ambit trust ${shellWord(above)}`,
    `To run the skill in ${where}, a trusted configuration has to list its folder. A person decides that, in a terminal`,
  );
}
