import type { InstallChanges } from '@ambit/api';
import type { Command } from 'commander';
import { type CommandContext, examples, flagsOf } from '../../../command/command-context.ts';
import { changeLines } from '../../../installs/change-text.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { plural } from '../../../output/plural.ts';

/** `ambit skills outdated`, `update`, `remove` and `sync`. */
export function addUpdates(skills: Command, context: CommandContext): void {
  addOutdated(skills, context);
  addUpdate(skills, context);
  addRemove(skills, context);
  addSync(skills, context);
}

function addOutdated(skills: Command, context: CommandContext): void {
  skills
    .command('outdated')
    .summary('show which installed skills have a later version')
    .description(
      'Read the sources of installed skills again and show what "ambit skills update" would change. Changes nothing.',
    )
    .argument('[skill...]', 'only these skills')
    .addHelpText('after', examples(['ambit skills outdated', 'every installed skill']))
    .action(async (ids: string[], _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const changes = await withInstalls(
        context,
        { flags, print, what: 'Reading sources' },
        (installs, requester) => installs.outdated(ids, requester),
      );
      const changed = onlyChanged(changes);
      if (print.json) print.document(changes);
      else if (changed.skills.length === 0 && changed.refused.length === 0)
        print.lines('No source has a later version of an installed skill.');
      else {
        print.lines(...changeLines(print, changed));
        if (changed.skills.some(({ change }) => change !== 'missing'))
          print.note('', `Next: ${nextCommand('ambit skills update', flags)}`);
      }
    });
}

function addUpdate(skills: Command, context: CommandContext): void {
  skills
    .command('update')
    .summary('fetch later versions of installed skills')
    .description(
      'Read the sources of installed skills again and install what has changed. A later version of an approved skill waits for its own approval, while the approved one stays in force; "ambit skills review" shows the difference. installs.updates: auto in the configuration lets versions that ask for no more take over after a while.',
    )
    .argument('[skill...]', 'only these skills')
    .addHelpText(
      'after',
      examples(
        ['ambit skills update', 'every installed skill'],
        ['ambit skills update acme:pdf-forms', 'one of them'],
      ),
    )
    .action(async (ids: string[], _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const changes = await withInstalls(context, { flags, print, what: 'Updating' }, (installs, requester) =>
        installs.update(ids, requester),
      );
      if (print.json) {
        print.document(changes);
        return;
      }
      const changed = onlyChanged(changes);
      if (changed.skills.length === 0 && changed.refused.length === 0)
        print.lines('No source has a later version of an installed skill.');
      else print.lines(...changeLines(print, changed));
      const next = changed.skills.find(({ change }) => change === 'waiting' || change === 'updated');
      if (next !== undefined) print.note('', `Next: ${nextCommand(`ambit skills review ${next.id}`, flags)}`);
    });
}

function onlyChanged({ skills, refused }: InstallChanges): InstallChanges {
  return { skills: skills.filter(({ change }) => change !== 'unchanged'), refused };
}

function addRemove(skills: Command, context: CommandContext): void {
  skills
    .command('remove')
    .summary('remove installed skills, their approvals and files')
    .description(
      'Remove installed skills from ambit.lock, with their approvals and files. Running calls end.',
    )
    .argument('<skill...>', 'the ids of the skills')
    .addHelpText('after', examples(['ambit skills remove acme:pdf-forms', 'one skill']))
    .action(async (ids: string[], _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const changes = await withInstalls(context, { flags, print, what: 'Removing' }, (installs, requester) =>
        installs.remove(ids, requester),
      );
      if (print.json) print.document(changes);
      else print.lines(`Removed ${changes.skills.map(({ id }) => id).join(', ')}.`);
    });
}

function addSync(skills: Command, context: CommandContext): void {
  skills
    .command('sync')
    .summary('make the stored files match ambit.lock')
    .description(
      'Check every stored file against ambit.lock. Fetch what is missing or damaged, from the commits that the file names, and remove what it does not list. With --frozen, only check: exits with 3 if anything differs. Never changes ambit.lock.',
    )
    .option('--frozen', 'fetch and remove nothing')
    .addHelpText(
      'after',
      examples(
        ['ambit skills sync', 'after cloning a project with an ambit.lock'],
        ['ambit skills sync --frozen', 'in CI, or before a start'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<{ frozen?: boolean }>(context, command);
      const changes = await withInstalls(
        context,
        { flags, print, what: 'Checking installed skills' },
        (installs, requester) => installs.sync({ frozen: flags.frozen === true }, requester),
      );
      if (print.json) print.document(changes);
      else
        print.lines(
          ...(changes.skills.length === 0 ? [] : changeLines(print, changes)),
          changes.skills.length === 0
            ? 'The stored files match ambit.lock.'
            : `Fetched ${plural(changes.skills.length, 'version')}. The stored files match ambit.lock.`,
        );
    });
}
