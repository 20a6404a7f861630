import { printableLine } from './printable.ts';

/** Formats rows as columns, two spaces apart. The last column is truncated to fit `width`. */
export function table(rows: readonly (readonly string[])[], width: number): string[] {
  const cells = rows.map((row) => row.map(printableLine));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells.map((row) => {
    const last = row.length - 1;
    const head = row.slice(0, last).map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2));
    const text = head.join('');
    return `${text}${cut(row[last] ?? '', Math.max(20, width - text.length))}`.trimEnd();
  });
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}
