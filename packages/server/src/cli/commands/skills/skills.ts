import type { Command } from 'commander';
import { type CommandContext, examples } from '../command-context.ts';
import { addSkillsIndex } from './skills-index.ts';
import { addSkillsLint } from './skills-lint.ts';
import { addSkillsList } from './skills-list.ts';
import { addSkillsMerge } from './skills-merge.ts';
import { addSkillsNew } from './skills-new.ts';
import { addSkillsShow } from './skills-show.ts';
import { addSkillsValidate } from './skills-validate.ts';

/** `ambit skills`: what there is, whether it is right, and how more comes to it. */
export function addSkills(program: Command, context: CommandContext): void {
  const skills = program
    .command('skills')
    .summary('list, show, make, check and merge skills')
    .description('Lists, shows, makes, checks and merges skills.')
    .addHelpText('after', examples(['ambit skills list', 'what there is']));
  addSkillsList(skills, context);
  addSkillsShow(skills, context);
  addSkillsNew(skills, context);
  addSkillsValidate(skills, context);
  addSkillsLint(skills, context);
  addSkillsIndex(skills, context);
  addSkillsMerge(skills, context);
}
