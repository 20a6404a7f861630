import type { ClusterActions } from '@ambit/server/cluster';
import type { PolicyChange } from '@ambit/server/config';
import { defineCommand } from '../command/define-command.ts';
import { printableLine } from '../output/printable.ts';
import { table, valueText } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';

/** `ambit cluster policy`: what calls may do on all nodes. */
export const clusterPolicyCommands = [
  defineCommand({
    name: 'cluster policy',
    summary: 'publish a policy for all nodes',
    description:
      "Publish grants, deny, limits of calls, tiers and mcp of this node's file for all nodes. While a policy is published, every node uses it instead of those sections of its own file.",
    examples: { 'ambit cluster policy show': 'the policy in force' },
  }),
  defineCommand({
    name: 'cluster policy publish',
    summary: "publish the policy in this node's file",
    description:
      "Publish grants, deny, limits of calls, tiers and mcp of this node's file as the next revision of the policy, and show what changes. Each node applies it within two seconds. Secrets are named, never sent: each node needs a source for them.",
    options: { dryRun: { text: 'only show what would change' } },
    examples: { 'ambit cluster policy publish --dry-run': 'compare, and change nothing' },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const found = await (await clusterOf(terminal)).publishPolicy(config, flags.dryRun === true);
      if (print.json) return print.document(found);
      const { revision, changes } = found;
      if (changes.length > 0) print.lines(...changes.map(changeText));
      if (revision !== null) print.lines(`Published revision ${revision} of the policy.`);
      else print.lines(changes.length === 0 ? 'No changes.' : 'Nothing was published.');
    },
  }),
  defineCommand({
    name: 'cluster policy show',
    summary: 'show the published policy',
    description: 'Show the published policy, its revision, and who published it.',
    examples: { 'ambit cluster policy show --json': 'as JSON' },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const found = await (await clusterOf(terminal)).policy(config);
      if (print.json) return print.document({ policy: found ?? null });
      if (found?.sections == null) return print.lines('No policy is published: each node uses its own file.');
      const { revision, actor, changedAt, sections } = found;
      print.lines(`Revision ${revision}, published by ${printableLine(actor)} at ${changedAt}.`);
      const rows = [
        ...Object.entries(sections.grants).map(([id, grant]) => [`grants.${id}`, valueText(grant)]),
        ['deny', valueText(sections.deny)],
        ...Object.entries(sections.limits).map(([name, limit]) => [`limits.${name}`, valueText(limit)]),
        ...Object.entries(sections.tiers).map(([tier, limits]) => [`tiers.${tier}`, valueText(limits)]),
        ['mcp.untrustedTools', String(sections.mcp.untrustedTools)],
      ];
      print.lines(...table(rows, Number.POSITIVE_INFINITY));
    },
  }),
  defineCommand({
    name: 'cluster policy withdraw',
    summary: 'let each node use its own file again',
    description:
      'Withdraw the policy: within two seconds, each node uses grants, deny, limits, tiers and mcp of its own file.',
    examples: { 'ambit cluster policy withdraw': 'on all nodes' },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const revision = await (await clusterOf(terminal)).withdrawPolicy(config);
      if (print.json) return print.document({ revision });
      print.lines(`Withdrew the policy with revision ${revision}: each node uses its own file.`);
    },
  }),
];

/** The cluster of the configured database. */
export async function clusterOf({ env }: Terminal): Promise<ClusterActions> {
  return (await import('@ambit/server/cluster')).clusterActions(env);
}

function changeText({ key, before, after }: PolicyChange): string {
  const name = printableLine(key);
  if (before === undefined) return `+ ${name}  ${printableLine(valueText(after))}`;
  if (after === undefined) return `- ${name}  ${printableLine(valueText(before))}`;
  return `~ ${name}  ${printableLine(valueText(before))} → ${printableLine(valueText(after))}`;
}
