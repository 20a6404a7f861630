import { defineCommand } from '../../../command/define-command.ts';
import { changeLines } from '../../../installs/change-text.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { printableLine } from '../../../output/printable.ts';

/** `ambit skills deps`: locks the packages of an installed skill. */
export const skillsDeps = defineCommand({
  name: 'skills deps',
  summary: 'lock the packages that an installed skill needs',
  description:
    'Lock the packages of an installed skill: what it declares in PEP 723 blocks, requirements.txt, pyproject.toml or package.json, and what you add. Exact versions and hashes are written to ambit.lock, from the index and the registry in installs.dependencies of the configuration. Code of packages does not run outside the sandbox, and install scripts of npm packages never run. A changed lock of an approved skill waits for approval.',
  args: { skill: { text: 'the id of the skill' } },
  options: {
    add: {
      value: 'package',
      text: 'lock this package too: NAME, "NAME>=1.0", or npm:NAME@RANGE for an npm package (repeatable)',
      repeatable: true,
    },
  },
  examples: {
    'ambit skills deps acme:pdf-forms': 'what it declares',
    'ambit skills deps acme:pdf-forms --add PyYAML': 'and a package that it does not declare',
    'ambit skills deps acme:charts --add npm:d3@^7': 'an npm package',
  },
  async run(context, flags, { skill: id }) {
    const { print } = context;
    const changes = await withInstalls(context, `Locking packages of ${printableLine(id)}`, (installs) =>
      installs.lockPackages(id, { add: flags.add ?? [] }),
    );
    if (print.json) {
      print.document(changes);
      return;
    }
    const [only] = changes.skills;
    if (only === undefined || only.packages.length === 0)
      print.lines(`${printableLine(id)} needs no packages to lock.`);
    else if (only.change === 'unchanged')
      print.lines(`Unchanged: ${printableLine(only.packages.join(', '))}`);
    else {
      print.lines(...changeLines(print, changes));
      print.note('', `Next: ${nextCommand(`ambit skills review ${only.id}`, flags)}`);
    }
  },
});
