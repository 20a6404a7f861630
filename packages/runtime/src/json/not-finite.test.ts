// Threat model: T281, T284

import { expect, test } from 'vitest';
import { notFiniteAt } from './not-finite.ts';

test.each([
  ['1e400', ''],
  ['-1e309', ''],
  ['[1,[2,1e400]]', '/1/1'],
  ['{"a/b":{"~":1e999}}', '/a~1b/~0'],
  [`{"a":${'9'.repeat(400)}}`, '/a'],
])('finds in %.40s a number that is not finite at %j', (text, at) => {
  expect(notFiniteAt(JSON.parse(text))).toBe(at);
});

test.each(['1e308', '-1.7976931348623157e308', '1e-400', '[true,null,"1e400",{}]', '"Infinity"'])(
  'finds none in %s',
  (text) => {
    expect(notFiniteAt(JSON.parse(text))).toBeUndefined();
  },
);

test('searches any depth of nesting', () => {
  let value: unknown = Number.NaN;
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  expect(notFiniteAt(value)).toBe('/0'.repeat(100_000));
});
