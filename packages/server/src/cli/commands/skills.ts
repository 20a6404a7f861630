import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addSkillsList } from './skills-list.ts';
import { addSkillsValidate } from './skills-validate.ts';

/** `ambit skills`: what there is, and whether it is right. */
export function addSkills(program: Command, context: CommandContext): void {
  const skills = program
    .command('skills')
    .summary('list and check skills')
    .description('Lists and checks skills.');
  addSkillsList(skills, context);
  addSkillsValidate(skills, context);
}
