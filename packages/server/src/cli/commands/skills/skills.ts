import type { Command } from 'commander';
import { type CommandContext, examples } from '../../command/command-context.ts';
import { addInstallCommands } from './installs/install-commands.ts';
import { addSkillsReview } from './review/skills-review.ts';
import { addSkillsIndex } from './skills-index.ts';
import { addSkillsLint } from './skills-lint.ts';
import { addSkillsList } from './skills-list.ts';
import { addSkillsMerge } from './skills-merge.ts';
import { addSkillsNew } from './skills-new.ts';
import { addSkillsPropose } from './skills-propose.ts';
import { addSkillsShow } from './skills-show.ts';
import { addSkillsValidate } from './skills-validate.ts';

/** `ambit skills`: lists, shows, creates, checks and merges skills. */
export function addSkills(program: Command, context: CommandContext): void {
  const skills = program
    .command('skills')
    .summary('list, install, review, approve, create and check skills')
    .description('List, show, install, review, approve, create, check and merge skills.')
    .addHelpText('after', examples(['ambit skills list', 'every configured skill']));
  addSkillsList(skills, context);
  addSkillsShow(skills, context);
  addSkillsReview(skills, context);
  addInstallCommands(skills, context);
  addSkillsNew(skills, context);
  addSkillsValidate(skills, context);
  addSkillsLint(skills, context);
  addSkillsIndex(skills, context);
  addSkillsMerge(skills, context);
  addSkillsPropose(skills, context);
}
