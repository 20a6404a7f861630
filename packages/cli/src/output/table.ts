import { printableLine } from './printable.ts';

/**
 * Formats rows as columns, two spaces apart. The last column is truncated to fit `width`, but to no less than `lastMin`
 * characters.
 */
export function table(rows: readonly (readonly string[])[], width: number, lastMin = 20): string[] {
  const cells = rows.map((row) => row.map(printableLine));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells.map((row) => {
    const last = row.length - 1;
    const head = row.slice(0, last).map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2));
    const text = head.join('');
    return `${text}${cut(row[last] ?? '', Math.max(lastMin, width - text.length))}`.trimEnd();
  });
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}

/** A value of the configuration on one line: strings unchanged, everything else as JSON without empty values. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(withoutEmpty(value));
}

/** Leaves out empty capabilities. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== 'none' && !isEmpty(inner)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
