import { resolve } from 'node:path';
import type { Verification } from '@ambit/core/internal';
import type { Command } from 'commander';
import type { VerifyRequest } from '../../actions/audit-proofs.ts';
import { CliError } from '../../cli-error.ts';
import { whileWaiting } from '../../live/while-waiting.ts';
import type { Printer } from '../../printer.ts';
import { readInput } from '../../read-input.ts';
import { onInterrupt } from '../../terminal.ts';
import { type CommandContext, examples, flagsOf } from '../command-context.ts';

interface ProofFlags {
  log?: string;
  publicKey?: string;
  checkpoints?: string;
  lost?: boolean;
}

const receiptBytesMax = 1024 * 1024;

/** `ambit audit verify`, `receipt`, `verify-receipt` and `rotate-key`: what the log proves. */
export function addAuditProofs(audit: Command, context: CommandContext): void {
  addVerify(audit, context);
  addReceipt(audit, context);
  addVerifyReceipt(audit, context);
  addRotateKey(audit, context);
}

function addVerify(audit: Command, context: CommandContext): void {
  audit
    .command('verify')
    .summary('check that the log is what was written')
    .description(
      'Reads the whole log again, beside a daemon or without one, and names the first thing that is not what was written. Ends with 0 when there is none, with 3 when there is. Without checkpoints that are kept elsewhere it cannot tell whether the end was cut off; without a public key that is kept elsewhere it believes the one beside the log.',
    )
    .option('--log <file>', 'a copy of a log (default: the one of the data directory)')
    .option('--public-key <file>', 'the key to trust, in PEM (default: audit-key.pub beside the log)')
    .option('--checkpoints <file>', 'checkpoints that were kept elsewhere, one JSON a line')
    .addHelpText(
      'after',
      examples(
        ['ambit audit verify', 'the log of this data directory'],
        ['ambit audit verify --log backup.db --public-key audit-key.pub', 'a copy, anywhere'],
        ['ambit audit verify --checkpoints /mnt/elsewhere/checkpoints.jsonl', 'whether its end is there'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<ProofFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const interrupt = new AbortController();
      const ignoreInterrupt = onInterrupt(context.terminal, () =>
        interrupt.abort(new Error('interrupted at the command line')),
      );
      try {
        const found = await whileWaiting(context.terminal, print, 'verify', ({ progress }) =>
          context.actions.proofs.verify(config, {
            ...paths(context, flags),
            onProgress: (done, total) => progress({ done, total, message: 'events' }),
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
    });
}

function paths(
  { terminal }: CommandContext,
  flags: ProofFlags,
): Omit<VerifyRequest, 'onProgress' | 'signal'> {
  const given = Object.entries({
    log: flags.log,
    publicKey: flags.publicKey,
    checkpoints: flags.checkpoints,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, path]) => [name, resolve(terminal.cwd(), path)]));
}

function verificationText(print: Printer, found: Verification): string[] {
  const { logId, first, last, events, checkpoints, signedThrough, trustedKeyId, indexedThrough } = found;
  const extent =
    last === null
      ? `No event of the log ${logId} was found as it was written.`
      : `${events} events of the log ${logId} are as they were written, ${first} to ${last.sequence}; ${checkpoints} checkpoints hold, and speak for events up to ${signedThrough}.`;
  const whose =
    trustedKeyId === null
      ? 'Its own keys were believed: name one that you trust with --public-key.'
      : `Trusted was the key ${trustedKeyId}.`;
  const index =
    indexedThrough === null
      ? 'There was no index to compare.'
      : `The index agrees with it, up to event ${indexedThrough}.`;
  if (found.intact)
    return [
      print.style('green', 'The log is intact.'),
      events === 0 ? 'It has no events.' : extent,
      index,
      whose,
    ];
  const what =
    found.reason === 'index' ? 'The index does not match the log' : 'The log is not what was written';
  return [
    print.style(
      'red',
      `${what}: ${found.reason}${found.sequence === null ? '' : ` at event ${found.sequence}`}.`,
    ),
    `${found.message}.`,
    extent,
    whose,
  ];
}

function addReceipt(audit: Command, context: CommandContext): void {
  audit
    .command('receipt')
    .summary('print a signed receipt of one call')
    .description(
      'Prints what came of one call, signed with the key of the log, as JSON: skill, policy, decision, capabilities, digests of input and output, outcome, and where its events stand in the log.',
    )
    .argument('<execution-id>', 'which call')
    .addHelpText(
      'after',
      examples([
        'ambit audit receipt 0190e0a4-7c1e-7000-8000-000000000000 > receipt.json',
        'for others to check',
      ]),
    )
    .action(async (executionId: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const config = await context.actions.loadConfig(flags);
      const receipt = await context.actions.proofs.receipt(config, executionId);
      if (receipt === undefined)
        throw new CliError(
          'USAGE_INVALID',
          `there is no receipt for ${JSON.stringify(executionId)}: no call has that id, it has not ended yet, or it was refused before it named a skill`,
        );
      print.document(receipt);
    });
}

function addVerifyReceipt(audit: Command, context: CommandContext): void {
  audit
    .command('verify-receipt')
    .summary('check a receipt')
    .description(
      'Checks a receipt with a public key alone: no log, no daemon, no network. With --log it also has to be what that log says. Ends with 0 when it holds, with 3 when it does not.',
    )
    .argument('<file>', 'the receipt; - is stdin')
    .requiredOption('--public-key <file>', 'the key that it has to be signed with, in PEM')
    .option('--log <file>', 'a log to compare it with')
    .addHelpText(
      'after',
      examples([
        'ambit audit verify-receipt receipt.json --public-key audit-key.pub',
        'with nothing but the key',
      ]),
    )
    .action(async (file: string, _options, command: Command) => {
      const { flags, print } = flagsOf<ProofFlags & { publicKey: string }>(context, command);
      const text = await readInput(context.terminal, file, receiptBytesMax);
      const { log } = paths(context, flags);
      const publicKey = resolve(context.terminal.cwd(), flags.publicKey);
      const check = await context.actions.proofs.checkReceipt({
        text,
        publicKey,
        ...(log === undefined ? {} : { log }),
      });
      if (print.json) print.document(check);
      else if (check.valid) {
        const { executionId, skill, outcome, endedAt } = check.receipt;
        print.lines(
          print.style('green', 'The receipt holds.'),
          `${skill.id} ended as ${outcome} at ${endedAt} (${executionId}), signed by the key ${check.keyId}.`,
        );
      } else
        print.lines(print.style('red', `The receipt does not hold: ${check.reason}.`), `${check.message}.`);
      context.exitCode = check.valid ? 0 : 3;
    });
}

function addRotateKey(audit: Command, context: CommandContext): void {
  audit
    .command('rotate-key')
    .summary('have another key sign from here on')
    .description(
      'Makes a new key for the log of this data directory, and has the old one sign for it. Stop the daemon first. Take the new audit-key.pub to where the old one was taken.',
    )
    .option('--lost', 'the old key is gone: nothing will vouch for the new one')
    .addHelpText('after', examples(['ambit audit rotate-key', 'with the daemon stopped']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<ProofFlags>(context, command);
      const config = await context.actions.loadConfig(flags);
      const rotated = await context.actions.proofs.rotateKey(config, { isLost: flags.lost === true });
      if (print.json) print.document(rotated);
      else print.lines(`The key ${rotated.to} signs from here on, in place of ${rotated.from}.`);
    });
}
