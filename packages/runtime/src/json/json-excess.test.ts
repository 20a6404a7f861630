// Threat model: T281

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonExcess } from './json-excess.ts';

const excessOf = (text: string, bounds: { depthMax?: number; valuesMax?: number }) =>
  jsonExcess(Buffer.from(text), { depthMax: 1000, valuesMax: 1_000_000, ...bounds });

test('accepts as many values as the JSON text has, and refuses a limit that is one lower', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const count = countOf(value);
      expect([excessOf(text, { valuesMax: count }), excessOf(text, { valuesMax: count - 1 })]).toEqual([
        undefined,
        count === 1 ? undefined : `has more than ${count - 1} values`,
      ]);
    }),
  );
});

test('accepts as many levels as the JSON text has, and refuses a limit that is one lower', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const [text, depth] = [JSON.stringify(value), depthOf(value)];
      expect([excessOf(text, { depthMax: depth }), excessOf(text, { depthMax: depth - 1 })]).toEqual([
        undefined,
        depth === 0 ? undefined : `is nested more than ${depth - 1} levels deep`,
      ]);
    }),
  );
});

test.each(['', '"', '"\\', '[', ']]]]', '{"a":', ',,,', '\\"[[['])(
  'scans %j, which is not JSON, to its end',
  (text) => {
    expect(excessOf(text, {})).toBeUndefined();
  },
);

test('stops before the end of a text with far too many values', () => {
  const flood = Buffer.from(`[${'{},'.repeat(5_500_000)}{}]`);
  expect(jsonExcess(flood, { depthMax: 512, valuesMax: 250_000 })).toBe('has more than 250000 values');
});

function countOf(value: unknown): number {
  return 1 + childrenOf(value).reduce((sum: number, child) => sum + countOf(child), 0);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...childrenOf(value).map(depthOf));
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
