import type { ClusterVerification, VerifiedNode } from '@ambit/core/audit';
import type { CommandContext } from '../../command/define-command.ts';
import { plural } from '../../output/plural.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { table } from '../../output/table.ts';
import { whileVerifying } from './while-verifying.ts';

/** `ambit audit verify --cluster` and `ambit cluster verify`. Exits with 0 for intact logs, otherwise with 3. */
export async function verifyCluster(context: CommandContext): Promise<void> {
  const config = await context.loadConfig(context.flags);
  const { clusterActions } = await import('@ambit/server/cluster');
  await whileVerifying(
    context,
    'nodes',
    (verifying) => clusterActions(context.terminal.env).verify(config, verifying),
    (found) => verificationText(context.print, found),
  );
}

function verificationText(
  print: Printer,
  { intact, findings, nodes, tree, localThrough }: ClusterVerification,
): string[] {
  const head = intact
    ? print.style('green', 'The logs of all nodes are intact.')
    : print.style('red', `The logs are not intact: ${plural(findings.length, 'finding')}.`);
  const rows = nodes.map(({ name, end, log, sentThrough, provenThrough }) => [
    ...[printableLine(name), end, log.intact ? 'intact' : log.reason],
    ...[String(log.events), String(sentThrough), String(provenThrough)],
  ]);
  return [
    head,
    ...findings.map(({ reason, message }) => `${reason}: ${printableLine(message)}.`),
    ...table([['NODE', 'END', 'LOG', 'EVENTS', 'SENT', 'PROVEN'], ...rows], print.width),
    ...nodes.flatMap(gapText),
    `The tree has ${tree.size === 1 ? '1 leaf' : `${tree.size} leaves`} and ${plural(tree.heads, 'signed head')}.`,
    localThrough === null
      ? 'There is no log on this machine to compare.'
      : `The log on this machine matches the database up to event ${localThrough}.`,
  ];
}

/** The bounds of a gap. A node that was retired while it ran has recorded events that it could not send. */
function gapText({ name, end, sentThrough, provenThrough }: VerifiedNode): string[] {
  if (end !== 'lost' && end !== 'retired') return [];
  const later = end === 'lost' ? 'Later events were only on its disk.' : 'Later events do not count.';
  return [
    `Node ${printableLine(name)} was ${end}. The database has its events up to ${sentThrough}; the tree covers them up to ${provenThrough}. ${later}`,
  ];
}
