import { expect, test } from 'vitest';
import { measure } from './measure.ts';

test.each([
  ['a number', 1, { nodes: 1, depth: 0 }],
  ['null', null, { nodes: 1, depth: 0 }],
  ['an empty array', [], { nodes: 1, depth: 1 }],
  ['an object', { a: 1, b: [2, { c: 3 }] }, { nodes: 6, depth: 3 }],
  ['a key named __proto__', JSON.parse('{"__proto__":[1]}'), { nodes: 3, depth: 2 }],
  ['a long string', 'x'.repeat(1024), { nodes: 5, depth: 0 }],
])('measures %s', (_, value, extent) => {
  expect(measure(value, 100)).toEqual(extent);
});

test('measures any depth and any size', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(measure(deep, 1_000_000)).toEqual({ nodes: 100_001, depth: 100_000 });
  expect(measure(new Array(10_000_000).fill(1), 1000).nodes).toBe(Number.POSITIVE_INFINITY);
  expect(measure([1, 2, 3], 4)).toEqual({ nodes: 4, depth: 1 });
  expect(measure([1, 2, 3], 3).nodes).toBe(Number.POSITIVE_INFINITY);
});
