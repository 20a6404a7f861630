import type { ClusterVerification, VerifiedNode } from '@ambit/core/internal';
import type { CommandContext, GlobalFlags } from '../../command/command-context.ts';
import { plural } from '../../output/plural.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { whileWaiting } from '../../output/progress-line.ts';
import { table } from '../../output/table.ts';
import { onInterrupt } from '../../output/terminal.ts';

/** `ambit audit verify --cluster` and `ambit cluster verify`. Exits with 0 for intact logs, otherwise with 3. */
export async function verifyClusterCommand(
  context: CommandContext,
  flags: GlobalFlags,
  print: Printer,
): Promise<void> {
  const config = await context.actions.loadConfig(flags);
  const interrupt = new AbortController();
  const ignoreInterrupt = onInterrupt(context.terminal, () =>
    interrupt.abort(new Error('interrupted at the command line')),
  );
  try {
    const actions = await context.actions.cluster();
    const found = await whileWaiting(context.terminal, print, 'verify', ({ progress }) =>
      actions.verify(config, {
        onProgress: (done, total) => progress({ done, total, message: 'nodes' }),
        signal: interrupt.signal,
      }),
    );
    if (print.json) print.document(found);
    else print.lines(...verificationText(print, found));
    context.exitCode = found.intact ? 0 : 3;
  } catch (error) {
    if (error !== interrupt.signal.reason) throw error;
    context.exitCode = 130;
  } finally {
    ignoreInterrupt();
  }
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
    ...nodes.filter(({ end }) => end === 'lost').map(lostText),
    `The tree has ${tree.size === 1 ? '1 leaf' : `${tree.size} leaves`} and ${plural(tree.heads, 'signed head')}.`,
    localThrough === null
      ? 'There is no log on this machine to compare.'
      : `The log on this machine matches the database up to event ${localThrough}.`,
  ];
}

/** The bounds of a gap. */
function lostText({ name, sentThrough, provenThrough }: VerifiedNode): string {
  return `Node ${printableLine(name)} was lost. Its last sent event is ${sentThrough}, and checkpoints in the tree cover it up to event ${provenThrough}. Later events were only on its disk.`;
}
