import type { Command } from 'commander';
import type { CommandContext } from '../../../command/command-context.ts';
import { addDecisions } from './decision-commands.ts';
import { addSigning } from './signing-commands.ts';
import { addSkillsAdd } from './skills-add.ts';
import { addSkillsDeps } from './skills-deps.ts';
import { addSkillsInstalled } from './skills-installed.ts';
import { addUpdates } from './update-commands.ts';

/** The commands of `ambit skills` for installed skills. */
export function addInstallCommands(skills: Command, context: CommandContext): void {
  addSkillsAdd(skills, context);
  addSkillsInstalled(skills, context);
  addSkillsDeps(skills, context);
  addDecisions(skills, context);
  addUpdates(skills, context);
  addSigning(skills, context);
}
