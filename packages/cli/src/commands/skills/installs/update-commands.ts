import type { InstallChanges } from '@ambit/api';
import { defineCommand } from '../../../command/define-command.ts';
import { changeLines } from '../../../installs/change-text.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { plural } from '../../../output/plural.ts';

/** `ambit skills outdated`, `update`, `remove` and `sync`. */
export const updateCommands = [
  defineCommand({
    name: 'skills outdated',
    summary: 'show which installed skills have a later version',
    description:
      'Read the sources of installed skills again and show what "ambit skills update" would change. Changes nothing.',
    args: { skill: { text: 'only these skills', optional: true, variadic: true, completes: 'installed' } },
    examples: { 'ambit skills outdated': 'every installed skill' },
    async run(context, flags, { skill: ids }) {
      const { print } = context;
      const changes = await withInstalls(context, 'Reading sources', (installs) => installs.outdated(ids));
      const changed = onlyChanged(changes);
      if (print.json) print.document(changes);
      else if (changed.skills.length === 0 && changed.refused.length === 0)
        print.lines('No source has a later version of an installed skill.');
      else {
        print.lines(...changeLines(print, changed));
        if (changed.skills.some(({ change }) => change !== 'missing'))
          print.note('', `Next: ${nextCommand('ambit skills update', flags)}`);
      }
    },
  }),
  defineCommand({
    name: 'skills update',
    summary: 'fetch later versions of installed skills',
    description:
      'Read the sources of installed skills again and install what has changed. A later version of an approved skill waits for its own approval, while the approved one stays in force; "ambit skills review" shows the difference. installs.updates: auto in the configuration lets versions that ask for no more take over after a while.',
    args: { skill: { text: 'only these skills', optional: true, variadic: true, completes: 'installed' } },
    examples: {
      'ambit skills update': 'every installed skill',
      'ambit skills update acme:pdf-forms': 'one of them',
    },
    async run(context, flags, { skill: ids }) {
      const { print } = context;
      const changes = await withInstalls(context, 'Updating', (installs) => installs.update(ids));
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
    },
  }),
  defineCommand({
    name: 'skills remove',
    summary: 'remove installed skills, their approvals and files',
    description:
      'Remove installed skills from ambit.lock, with their approvals and files. Running calls end.',
    args: { skill: { text: 'the ids of the skills', variadic: true, completes: 'installed' } },
    examples: { 'ambit skills remove acme:pdf-forms': 'one skill' },
    async run(context, _flags, { skill: ids }) {
      const { print } = context;
      const changes = await withInstalls(context, 'Removing', (installs) => installs.remove(ids));
      if (print.json) print.document(changes);
      else print.lines(`Removed ${changes.skills.map(({ id }) => id).join(', ')}.`);
    },
  }),
  defineCommand({
    name: 'skills sync',
    summary: 'make the stored files match ambit.lock',
    description:
      'Check every stored file against ambit.lock. Fetch what is missing or damaged, from the commits that the file names, and remove what it does not list. With --frozen, only check: exits with 3 if anything differs. Never changes ambit.lock.',
    options: {
      frozen: { text: 'fetch and remove nothing', details: 'Exits with 3 if anything differs' },
    },
    examples: {
      'ambit skills sync': 'after cloning a project with an ambit.lock',
      'ambit skills sync --frozen': 'in CI, or before a start',
    },
    async run(context, flags) {
      const { print } = context;
      const changes = await withInstalls(context, 'Checking installed skills', (installs) =>
        installs.sync({ frozen: flags.frozen === true }),
      );
      if (print.json) print.document(changes);
      else
        print.lines(
          ...(changes.skills.length === 0 ? [] : changeLines(print, changes)),
          changes.skills.length === 0
            ? 'The stored files match ambit.lock.'
            : `Fetched ${plural(changes.skills.length, 'version')}. The stored files match ambit.lock.`,
        );
    },
  }),
];

function onlyChanged({ skills, refused }: InstallChanges): InstallChanges {
  return { skills: skills.filter(({ change }) => change !== 'unchanged'), refused };
}
