import type { AllowedGroup } from '../../trust/allowed-by.ts';
import type { TrustReview } from '../actions/trust-actions.ts';
import type { Printer } from '../printer.ts';
import { printableLine } from './printable.ts';
import { table } from './table.ts';
import { valueText } from './value-text.ts';

/** What is read before the question: the data directory first, the commands of the configuration last. */
export function trustText(print: Printer, { configuration, dataDir }: TrustReview): string[] {
  return [
    ...(dataDir === null
      ? []
      : [
          `Data directory  ${printableLine(dataDir.path)}`,
          `  ${statusText(dataDir.untrusted)}`,
          ...(dataDir.untrusted === null
            ? []
            : [
                `  Its keys could call your daemon, and its log and state would be used. It has: ${dataDir.holds.join(', ') || 'nothing of that'}`,
              ]),
          '',
        ]),
    ...(configuration === null
      ? []
      : [
          `Configuration  ${printableLine(configuration.path)}`,
          `  sha256 ${configuration.sha256}`,
          `  ${statusText(configuration.untrusted)}`,
          ...configuration.allows.flatMap((group) => ['', ...groupText(print, group)]),
          '',
        ]),
  ];
}

const rowsMax = 30;

function groupText(print: Printer, { title, isCommands, entries }: AllowedGroup): string[] {
  const rows = entries.slice(0, rowsMax).map(([key, value]) => [key, valueText(value)]);
  const more = entries.length - rows.length;
  return [
    print.style(isCommands && entries.length > 0 ? 'red' : 'bold', `${title}:`),
    ...(rows.length === 0 ? ['  none'] : indented(table(rows, Number.POSITIVE_INFINITY))),
    ...(more > 0 ? [`  … and ${more} more, which --json shows`] : []),
  ];
}

/** A table's cells have no blanks around them. */
function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function statusText(untrusted: string | null): string {
  return untrusted === null ? 'trusted' : `not trusted: ${printableLine(untrusted)}`;
}
