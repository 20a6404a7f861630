import { defineCommand } from '../../command/define-command.ts';
import { withSearchedPlaces } from '../../command/searched-places.ts';
import { printableLine } from '../../output/printable.ts';
import { table } from '../../output/table.ts';

/** `ambit grants`: what skills may do now. */
export const grantsCommand = defineCommand({
  name: 'grants',
  summary: 'list what skills may access',
  description:
    'List everything that is granted beyond the sandboxes, with the line of the configuration, the policy of the cluster or the approval that decides it. For one skill, also list its tier, the limits of its programs, and what no skill gets.',
  args: { skill: { text: 'only this skill', optional: true } },
  examples: {
    'ambit grants': 'everything that is granted',
    'ambit grants git-summary': 'one skill, with its tier and limits',
  },
  async run(context, flags, { skill: id }) {
    const { print, terminal } = context;
    const config = await context.loadConfig(flags);
    const { grantsInForce } = await import('@ambit/server/local');
    const grants = await grantsInForce(config, terminal.env, id).catch(async (error) => {
      throw id === undefined ? error : await withSearchedPlaces(error, context, config, id);
    });
    if (print.json) return print.document({ grants });
    if (grants.length === 0) return print.lines('Nothing is granted beyond the sandboxes.');
    const hasEnd = grants.some(({ until }) => until !== null);
    const rows = grants.map(({ skill, capability, item, from, until }) => [
      ...(id === undefined ? [skill] : []),
      capability,
      item,
      from,
      ...(hasEnd ? [until ?? ''] : []),
    ]);
    const head = [
      ...(id === undefined ? ['SKILL'] : []),
      'CAPABILITY',
      'ITEM',
      'FROM',
      ...(hasEnd ? ['UNTIL'] : []),
    ];
    print.lines(...table([head, ...rows.map((row) => row.map(printableLine))], Number.POSITIVE_INFINITY));
  },
});
