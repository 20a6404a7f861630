import type { RecordedPayload } from '@ambit/core/internal';
import type { EventRow } from './event-row.ts';

/**
 * Rows as they are sent to the writer thread, field by field: a message repeats the names of each
 * object's fields, which takes longer than most of their values.
 */
export interface PackedRows {
  executionIds: (string | null)[];
  flags: number[];
  bodies: string[];
  /** The sides of the payloads, and their texts; `null` and empty for a row without one. */
  sides: (RecordedPayload['of'] | null)[];
  texts: string[];
}

const [opens, closes, isLast, isCut] = [1, 2, 4, 8];

export function packedRows(rows: readonly EventRow[]): PackedRows {
  const packed: PackedRows = { executionIds: [], flags: [], bodies: [], sides: [], texts: [] };
  for (const row of rows) {
    const { payload } = row;
    packed.executionIds.push(row.executionId);
    packed.flags.push(
      (row.opens ? opens : 0) |
        (row.closes ? closes : 0) |
        (row.isLast ? isLast : 0) |
        (payload?.isCut ? isCut : 0),
    );
    packed.bodies.push(row.body);
    packed.sides.push(payload?.of ?? null);
    packed.texts.push(payload?.text ?? '');
  }
  return packed;
}

export function unpackedRows({ executionIds, flags, bodies, sides, texts }: PackedRows): EventRow[] {
  return bodies.map((body, at) => {
    const set = flags[at] ?? 0;
    const of = sides[at] ?? null;
    return {
      executionId: executionIds[at] ?? null,
      opens: (set & opens) !== 0,
      closes: (set & closes) !== 0,
      isLast: (set & isLast) !== 0,
      body,
      payload: of === null ? undefined : { of, text: texts[at] ?? '', isCut: (set & isCut) !== 0 },
    };
  });
}
