import type { AllowedGroup } from '../../config/file/allowed-by.ts';
import type { TrustReview } from '../actions/trust-actions.ts';
import type { Printer } from '../printer.ts';
import { printableLine } from './printable.ts';
import { table } from './table.ts';
import { valueText } from './value-text.ts';

/** The text before the question: the data directory first, the commands of the configuration last. */
export function trustText(print: Printer, { configuration, dataDir }: TrustReview): string[] {
  return [
    ...(dataDir === null ? [] : dataDirText(dataDir)),
    ...(configuration === null ? [] : configurationText(print, configuration)),
  ];
}

function dataDirText({ path, untrusted, holds }: NonNullable<TrustReview['dataDir']>): string[] {
  const effect = `  If you trust it, its keys can call your daemon, and its log and state are used. It contains: ${holds.join(', ') || 'none of these'}`;
  return [
    `Data directory  ${printableLine(path)}`,
    `  ${statusText(untrusted)}`,
    ...(untrusted === null ? [] : [effect]),
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
