import type { InstalledSummary } from '@ambit/api';
import { defineCommand } from '../../../command/define-command.ts';
import { findingsText } from '../../../installs/change-text.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { table } from '../../../output/table.ts';

/** `ambit skills installed`: the skills in the lock file and their state. */
export const skillsInstalled = defineCommand({
  name: 'skills installed',
  summary: 'list installed skills and whether they are approved',
  description: 'List the skills in ambit.lock: whether they are approved, and where they come from.',
  examples: {
    'ambit skills installed': 'every installed skill',
    'ambit skills installed --json': 'with digests and requests',
  },
  async run(context, flags) {
    const { print } = context;
    const found = await withInstalls(context, 'Reading installed skills', (installs) => installs.list());
    if (print.json) print.document({ skills: found });
    else if (found.length === 0) {
      print.lines('No skill is installed.');
      print.note(`Next: ${nextCommand('ambit skills add SOURCE', flags)}`);
    } else {
      const [head = '', ...lines] = table(
        [['ID', 'STATE', 'TIER', 'PUBLISHER', 'FINDINGS', 'SOURCE'], ...found.map(row)],
        print.width,
      );
      print.lines(print.style('bold', head), ...lines);
    }
  },
});

function row(skill: InstalledSummary): string[] {
  const { id, tier, publisher, findings, source, folder } = skill;
  return [
    id,
    stateText(skill),
    tier,
    publisher ?? '-',
    findingsText(findings),
    folder === '' ? source : `${source}#:${folder}`,
  ];
}

function stateText({ state, until }: InstalledSummary): string {
  if (until === null || !['approved', 'expired'].includes(state)) return state;
  const day = until.slice(0, 10);
  return state === 'expired' ? `expired ${day}` : `${state} until ${day}`;
}
