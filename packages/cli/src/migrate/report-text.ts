import type { ReportLine } from '@ambit/migrate';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';

const labels: Record<ReportLine['kind'], { text: string; style: Parameters<Printer['style']>[0] }> = {
  changed: { text: 'changed ', style: 'dim' },
  'left-out': { text: 'left out', style: 'yellow' },
  'to-do': { text: 'to do   ', style: 'bold' },
};

/** The report of an import or an export, one line per entry. */
export function reportText(print: Printer, lines: readonly ReportLine[]): string[] {
  return lines.map(({ kind, about, text }) => {
    const { text: label, style } = labels[kind];
    return `${print.style(style, label)}  ${printableLine(`${about} ${text}`)}`;
  });
}
