import { defineCommand } from '../../command/define-command.ts';
import { decisionCommands } from './installs/decision-commands.ts';
import { signingCommands } from './installs/signing-commands.ts';
import { skillsAdd } from './installs/skills-add.ts';
import { skillsApprove } from './installs/skills-approve.ts';
import { skillsDeps } from './installs/skills-deps.ts';
import { skillsInstalled } from './installs/skills-installed.ts';
import { updateCommands } from './installs/update-commands.ts';
import { skillsReview } from './review/skills-review.ts';
import { skillsIndex } from './skills-index.ts';
import { skillsLint } from './skills-lint.ts';
import { skillsList } from './skills-list.ts';
import { skillsMerge } from './skills-merge.ts';
import { skillsNew } from './skills-new.ts';
import { skillsPropose } from './skills-propose.ts';
import { skillsShow } from './skills-show.ts';
import { skillsValidate } from './skills-validate.ts';

/** `ambit skills`: lists, shows, creates, checks and merges skills. */
export const skillsCommands = [
  defineCommand({
    name: 'skills',
    summary: 'list, install, review, approve, create and check skills',
    description: 'List, show, install, review, approve, create, check and merge skills.',
    examples: { 'ambit skills list': 'every configured skill' },
  }),
  skillsList,
  skillsShow,
  skillsReview,
  skillsAdd,
  skillsInstalled,
  skillsDeps,
  skillsApprove,
  ...decisionCommands,
  ...updateCommands,
  ...signingCommands,
  skillsNew,
  skillsValidate,
  skillsLint,
  skillsIndex,
  skillsMerge,
  skillsPropose,
];
