import { expect, test } from 'vitest';
import type { EventRow } from './event-row.ts';
import { packedRows, unpackedRows } from './packed-rows.ts';

test('rows are the same after packing', () => {
  const payloads = [
    undefined,
    { of: 'input', text: '', isCut: false },
    { of: 'output', text: '"ä"', isCut: true },
  ] as const;
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bits) =>
    payloads.map(
      (payload): EventRow => ({
        executionId: bits % 2 === 0 ? null : `e${bits}`,
        opens: (bits & 1) !== 0,
        closes: (bits & 2) !== 0,
        isLast: (bits & 4) !== 0,
        body: `{"n":${bits}}`,
        payload,
      }),
    ),
  );
  expect(unpackedRows(structuredClone(packedRows(rows)))).toEqual(rows);
});
