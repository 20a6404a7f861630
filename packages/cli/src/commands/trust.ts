import { resolve } from 'node:path';
import { userPlaces } from '@ambit/client/node';
import { UsageError } from '@ambit/core/outcome';
import type { AllowedGroup } from '@ambit/server/config';
import type { TrustActions, TrustReview } from '@ambit/server/local';
import { decisionText, shellWord } from '@ambit/server/trust';
import { isConfirmed } from '../command/ask.ts';
import {
  type CommandContext,
  defineCommand,
  defineOptions,
  type FlagsOf,
  type GlobalFlags,
} from '../command/define-command.ts';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import { table, valueText } from '../output/table.ts';

const options = defineOptions({
  yes: { text: 'trust without asking, at a terminal' },
  review: { value: 'name', text: 'trust exactly what was shown under this name; without a terminal' },
  list: { text: 'list everything that is trusted' },
  revoke: { text: 'stop trusting the folder' },
});
type TrustFlags = FlagsOf<typeof options>;

/** `ambit trust`: reviews and trusts the configuration and data directory that Ambit finds. */
export const trustCommand = defineCommand({
  name: 'trust',
  summary: 'review and trust the configuration of a folder',
  description:
    'Show what the ambit.config.yaml of a folder would allow, and the data directory beside it, then ask whether to trust them. Until you trust them, every command that would use them is refused. Trust covers the exact content: trust a file again after each change. Files named by --config, --data-dir or their variables need no trust. Trust does not cover files that the configuration names, such as scripts and skills.',
  args: { folder: { text: 'start searching in this folder (default: the current one)', optional: true } },
  options,
  examples: {
    'ambit trust': 'review and trust this folder',
    'ambit trust --list': 'list everything that is trusted',
    'ambit trust --revoke ~/src/shop': 'stop trusting a folder',
  },
  async run(context, flags, { folder }) {
    refuseContradictions(flags, folder);
    const place = resolve(context.terminal.cwd(), folder ?? '.');
    if (flags.list) await list(context);
    else if (flags.revoke) await revoke(context, place);
    else await trust(context, flags, place);
  },
});

function refuseContradictions(
  { yes, review, list: isList, revoke: isRevoke, config, dataDir }: TrustFlags & GlobalFlags,
  folder: string | undefined,
): void {
  if (config !== undefined || dataDir !== undefined)
    throw new UsageError(
      'ambit trust does not accept --config or --data-dir, because what they name needs no trust; name a folder instead',
    );
  if ([yes, review, isList, isRevoke].filter(Boolean).length > 1 || (isList && folder !== undefined))
    throw new UsageError('use only one of --yes, --review, --list and --revoke; --list takes no folder');
}

async function trust(context: CommandContext, flags: TrustFlags, place: string): Promise<void> {
  const { terminal, print } = context;
  const trusting = await trustingOf(context);
  const review = await trusting.review(place);
  if (!print.json) print.lines(...trustText(print, review));
  const isPerson = terminal.stdin.isTTY === true;
  const isNew = isUntrusted(review);
  const isNamed = flags.review === review.review || (isPerson && flags.yes === true);
  const mayAsk = isPerson && !print.json && flags.review === undefined;
  const isTrusted = !isNew || isNamed || (mayAsk && (await isConfirmed('Trust this?', terminal)));
  if (isNew && isTrusted) await trusting.accept(review);
  context.exitCode = isTrusted ? 0 : 3;
  if (print.json) print.document({ ...review, trusted: isTrusted });
  else if (!isNew) print.lines('Already trusted.');
  else if (isTrusted) {
    print.lines('Trusted.');
    if (review.configuration !== null)
      print.note('To apply the configuration to a running daemon, run: ambit config reload');
  } else if (mayAsk) print.note('Not trusted.');
  else print.note(notTrusted(context, flags, review, place));
}

function notTrusted(
  { terminal }: CommandContext,
  { review: named }: TrustFlags,
  { review }: TrustReview,
  place: string,
): string {
  if (named === undefined)
    return 'Not trusted: a person decides, in a terminal, after reading the above. Here is no terminal to ask on.';
  const next = decisionText(
    terminal,
    `After reading it, a person can run: ambit trust ${shellWord(place)} --review ${review}`,
    'A person decides, in a terminal, after reading it.',
  );
  return `Not trusted: the above is not what ${printableLine(named)} names. ${next}`;
}

/** The text before the question: the data directory first, the commands of the configuration last. */
function trustText(print: Printer, { configuration, dataDir }: TrustReview): string[] {
  return [
    ...(dataDir === null ? [] : dataDirText(dataDir)),
    ...(configuration === null ? [] : configurationText(print, configuration)),
  ];
}

function dataDirText({ path, untrusted, exposed, holds }: NonNullable<TrustReview['dataDir']>): string[] {
  const effect = `  If you trust it, its keys can call your daemon, and its log and state are used. It contains: ${holds.join(', ') || 'none of these'}`;
  return [
    `Data directory  ${printableLine(path)}`,
    `  ${statusText(untrusted)}`,
    ...(untrusted === null ? [] : [effect]),
    ...(exposed === null ? [] : [`  Warning: ${exposed}`]),
    '',
  ];
}

function configurationText(
  print: Printer,
  { path, sha256, untrusted, allows }: NonNullable<TrustReview['configuration']>,
): string[] {
  return [
    `Configuration  ${printableLine(path)}`,
    `  sha256 ${sha256}`,
    `  ${statusText(untrusted)}`,
    ...allows.flatMap((group) => ['', ...groupText(print, group)]),
    '',
  ];
}

const rowsMax = 30;

function groupText(print: Printer, { title, isCommands, entries }: AllowedGroup): string[] {
  const rows = entries.slice(0, rowsMax).map(([key, value]) => [key, valueText(value)]);
  const more = entries.length - rows.length;
  return [
    print.style(isCommands && entries.length > 0 ? 'red' : 'bold', `${title}:`),
    ...(rows.length === 0 ? ['  none'] : indented(table(rows, Number.POSITIVE_INFINITY))),
    ...(more > 0 ? [`  … and ${more} more (shown by --json)`] : []),
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function statusText(untrusted: string | null): string {
  return untrusted === null ? 'trusted' : `not trusted: ${printableLine(untrusted)}`;
}

function isUntrusted({ configuration, dataDir }: TrustReview): boolean {
  return [configuration, dataDir].some((found) => found !== null && found.untrusted !== null);
}

async function list(context: CommandContext): Promise<void> {
  const { print } = context;
  const trusted = await (await trustingOf(context)).list();
  if (print.json) print.document({ trusted });
  else
    print.lines(
      ...table(
        trusted.map(({ status, kind, path, trustedAt }) => [status, kind, trustedAt, path]),
        Number.POSITIVE_INFINITY,
      ),
    );
}

async function revoke(context: CommandContext, place: string): Promise<void> {
  const { print } = context;
  const revoked = await (await trustingOf(context)).revoke(place);
  if (print.json) print.document({ revoked });
  else if (revoked.length === 0) print.note(`Nothing in ${printableLine(place)} was trusted. No changes.`);
  else print.lines(...revoked.map(({ kind, path }) => `No longer trusted: ${kind} ${printableLine(path)}`));
}

async function trustingOf({ terminal }: CommandContext): Promise<TrustActions> {
  return (await import('@ambit/server/local')).trustActions(userPlaces(terminal.env));
}
