import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('the example of RFC 8785, section 3.2.3', () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('orders keys by their UTF-16 code units, including keys that look like numbers', () => {
  const sorted = '{"\\r":1,"1":2,"10":3,"9":4,"\u0080":5,"ö":6,"€":7,"😀":8,"\uFB33":9}';
  const given = { '€': 7, '\r': 1, '\uFB33': 9, '9': 4, '10': 3, '1': 2, '😀': 8, '\u0080': 5, ö: 6 };
  expect(canonicalJson(given)).toBe(sorted);
});

test('omits undefined members, and treats a key called __proto__ like any other', () => {
  expect(canonicalJson({ b: undefined, a: [] })).toBe('{"a":[]}');
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
});

test.each([
  ['a lone surrogate', '\uD800'],
  ['a lone surrogate in a key', { '\uDC00': 1 }],
  ['a number that is not finite', [Number.NaN]],
  ['nothing', undefined],
  ['an array with a hole', Object.assign([], { 1: 1 })],
  ['a big number', 1n],
])('refuses values without a canonical text: %s', (_, value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test('any JSON survives a round trip and has one text, whatever the order of its keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(JSON.parse(text)))).toBe(text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
