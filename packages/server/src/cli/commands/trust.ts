import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TrustReview } from '../actions/trust-actions.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import { printableLine } from '../text/printable.ts';
import { table } from '../text/table.ts';
import { trustText } from '../text/trust-text.ts';
import { type CommandContext, examples, flagsOf, type GlobalFlags } from './command-context.ts';

interface TrustFlags {
  yes?: boolean;
  list?: boolean;
  revoke?: boolean;
}

/** `ambit trust`: which configurations and data directories count that nobody names. */
export function addTrust(program: Command, context: CommandContext): void {
  program
    .command('trust')
    .summary('trust the configuration of a folder, after a look at it')
    .description(
      'Shows what the ambit.config.yaml of a folder would allow, and the data directory beside it, and asks whether to trust them. Until then every command that would use them is refused. Trust is for the exact content: a file that changes has to be trusted again. What --config, --data-dir or their variables name needs no trust. Files that the configuration names, such as scripts and skills, are not part of the content.',
    )
    .argument('[folder]', 'where to look, and above it (default: this folder)')
    .option('--yes', 'trust without the question')
    .option('--list', 'show everything that is trusted')
    .option('--revoke', 'trust what is in the folder no longer')
    .addHelpText(
      'after',
      examples(
        ['ambit trust', 'what is in this folder'],
        ['ambit trust --list', 'everything that is trusted'],
        ['ambit trust --revoke ~/src/shop', 'no longer'],
      ),
    )
    .action(async (folder: string | undefined, _options, command: Command) => {
      const { flags } = flagsOf<TrustFlags>(context, command);
      refuseContradictions(flags, folder);
      const place = resolve(context.terminal.cwd(), folder ?? '.');
      if (flags.list) await list(context, command);
      else if (flags.revoke) await revoke(context, command, place);
      else await trust(context, command, place);
    });
}

function refuseContradictions(
  { yes, list: isList, revoke: isRevoke, config, dataDir }: TrustFlags & GlobalFlags,
  folder: string | undefined,
): void {
  if (config !== undefined || dataDir !== undefined)
    throw new CliError(
      'USAGE_INVALID',
      'what --config and --data-dir name needs no trust: leave them out, and name a folder as ambit trust FOLDER',
    );
  if ([yes, isList, isRevoke].filter(Boolean).length > 1 || (isList && folder !== undefined))
    throw new CliError('USAGE_INVALID', 'give one of --yes, --list and --revoke; --list takes no folder');
}

async function trust(context: CommandContext, command: Command, place: string): Promise<void> {
  const { actions, terminal } = context;
  const { flags, print } = flagsOf<TrustFlags>(context, command);
  const review = await actions.trust.review(place);
  if (!print.json) print.lines(...trustText(print, review));
  const mayAsk = terminal.stdin.isTTY === true && !print.json;
  const isNew = isUntrusted(review);
  const isTrusted = !isNew || flags.yes === true || (mayAsk && (await confirmed('Trust this?', terminal)));
  if (isNew && isTrusted) await actions.trust.accept(review);
  context.exitCode = isTrusted ? 0 : 3;
  if (print.json) print.document({ ...review, trusted: isTrusted });
  else if (!isNew) print.lines('Already trusted.');
  else if (isTrusted) {
    print.lines('Trusted.');
    if (review.configuration !== null)
      print.note('A running daemon takes a changed configuration with: ambit config reload');
  } else
    print.note(
      mayAsk ? 'Not trusted.' : 'Not trusted: no terminal to ask on. Read the above, then add --yes.',
    );
}

function isUntrusted({ configuration, dataDir }: TrustReview): boolean {
  return [configuration, dataDir].some((found) => found !== null && found.untrusted !== null);
}

async function list(context: CommandContext, command: Command): Promise<void> {
  const { print } = flagsOf(context, command);
  const trusted = await context.actions.trust.list();
  if (print.json) print.document({ trusted });
  else
    print.lines(
      ...table(
        trusted.map(({ status, kind, path, trustedAt }) => [status, kind, trustedAt, path]),
        Number.POSITIVE_INFINITY,
      ),
    );
}

async function revoke(context: CommandContext, command: Command, place: string): Promise<void> {
  const { print } = flagsOf(context, command);
  const revoked = await context.actions.trust.revoke(place);
  if (print.json) print.document({ revoked });
  else if (revoked.length === 0)
    print.note(`Nothing in ${printableLine(place)} was trusted. Nothing was changed.`);
  else print.lines(...revoked.map(({ kind, path }) => `No longer trusted: ${kind} ${printableLine(path)}`));
}
