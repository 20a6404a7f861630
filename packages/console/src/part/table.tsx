import type { ComponentChildren } from 'preact';

/** A column: its heading, and `number` for figures. An empty cell is left out on a narrow screen. */
export type Column = string | { heading: string; is: 'number' | 'track' | 'text' };

export interface Row {
  key: string | number;
  /** In the order of the columns. */
  cells: readonly ComponentChildren[];
}

/** A table. On a narrow screen each row is a card whose lines have the headings as labels. */
export function Table({ columns, rows }: { columns: readonly Column[]; rows: readonly Row[] }) {
  const headings = columns.map((column) => (typeof column === 'string' ? column : column.heading));
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th scope="col">{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td
                  class={`${classOf(columns[index])}${isEmpty(cell) ? ' none' : ''}`}
                  data-label={headings[index]}
                >
                  <div>{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf(column: Column | undefined): string {
  return typeof column === 'object' ? column.is : '';
}

function isEmpty(cell: ComponentChildren): boolean {
  return cell === '' || cell === false || cell === null || cell === undefined;
}
