import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addSkillsIndex } from './skills-index.ts';
import { addSkillsLint } from './skills-lint.ts';
import { addSkillsList } from './skills-list.ts';
import { addSkillsMerge } from './skills-merge.ts';
import { addSkillsNew } from './skills-new.ts';
import { addSkillsValidate } from './skills-validate.ts';

/** `ambit skills`: what there is, whether it is right, and how more comes to it. */
export function addSkills(program: Command, context: CommandContext): void {
  const skills = program
    .command('skills')
    .summary('list, make, check and merge skills')
    .description('Lists, makes, checks and merges skills.');
  addSkillsList(skills, context);
  addSkillsNew(skills, context);
  addSkillsValidate(skills, context);
  addSkillsLint(skills, context);
  addSkillsIndex(skills, context);
  addSkillsMerge(skills, context);
}
