import { describe, expect, test } from 'vitest';
import { plainSchemas } from './plain-schema.ts';

const isPlain = plainSchemas();

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each([
  ['true', true],
  [
    'a usual one',
    {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 9 } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  ['one with alternatives', { anyOf: [{ enum: ['a'] }, { not: { const: 1 } }] }],
  [
    'one that names its dialect',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $comment: 'x', type: 'string' },
  ],
])('a schema that only looks at the value is plain: %s', (_, schema) => {
  expect(isPlain(schema, { a: 'b' })).toBe(true);
});

describe('a schema is not plain', () => {
  test.each([
    ['with a pattern, however deep', { properties: { a: { anyOf: [{ pattern: 'a' }] } } }],
    ['with a pattern for names', { patternProperties: { a: true } }],
    ['with what depends on other keywords', { unevaluatedProperties: false }],
    ['with a reference', { properties: { a: { $ref: '#' } } }],
    ['with a dynamic reference', { $dynamicRef: '#a' }],
    ['with an identity', { $id: 'https://a.example' }],
    ['with definitions', { $defs: {} }],
    ['with any of these as the name of a property', { properties: { pattern: { type: 'string' } } }],
  ])('%s', (_, schema) => {
    expect(isPlain(schema, 'a')).toBe(false);
  });

  test('when it is nested deeply, and neither is a check of a value that is', () => {
    expect(isPlain({ enum: [nested(20)] }, 1)).toBe(true);
    expect(isPlain({ enum: [nested(40)] }, 1)).toBe(false);
    expect(isPlain({ type: 'array' }, nested(32))).toBe(true);
    expect(isPlain({ type: 'array' }, nested(33))).toBe(false);
  });

  test('that compares elements, for a value with more of them than are compared soon', () => {
    const different = { type: 'array', uniqueItems: true };
    expect(isPlain(different, new Array(30).fill(1))).toBe(true);
    expect(isPlain(different, new Array(60).fill(1))).toBe(false);
  });

  test('for a value that is large, and the sooner the larger it is itself', () => {
    const small = { items: { type: 'number' } };
    const large = { items: { anyOf: new Array(100).fill({ type: 'number' }) } };
    const numbers = new Array(1000).fill(1);
    expect(isPlain(small, numbers)).toBe(true);
    expect(isPlain(large, numbers)).toBe(false);
    expect(isPlain(small, new Array(100_000).fill(1))).toBe(false);
    expect(isPlain(small, 'x'.repeat(10_000_000))).toBe(false);
  });
});
