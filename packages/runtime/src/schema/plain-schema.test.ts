import { describe, expect, test } from 'vitest';
import { plainSchemas } from './plain-schema.ts';

const isPlain = plainSchemas();

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each([
  ['true', true],
  [
    'a typical one',
    {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 9 } },
      required: ['a'],
      additionalProperties: false,
    },
  ],
  ['one with alternatives', { anyOf: [{ enum: ['a'] }, { not: { const: 1 } }] }],
  [
    'one with its dialect',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $comment: 'x', type: 'string' },
  ],
])('treats a schema that only visits the value as plain: %s', (_, schema) => {
  expect(isPlain(schema, { a: 'b' })).toBe(true);
});

describe('a schema that is not plain', () => {
  test.each([
    ['with a pattern at any depth', { properties: { a: { anyOf: [{ pattern: 'a' }] } } }],
    ['with a pattern for property names', { patternProperties: { a: true } }],
    ['with a keyword that depends on other keywords', { unevaluatedProperties: false }],
    ['with a reference', { properties: { a: { $ref: '#' } } }],
    ['with a dynamic reference', { $dynamicRef: '#a' }],
    ['with an id', { $id: 'https://a.example' }],
    ['with definitions', { $defs: {} }],
    ['with such a keyword as the name of a property', { properties: { pattern: { type: 'string' } } }],
  ])('does not treat a schema as plain %s', (_, schema) => {
    expect(isPlain(schema, 'a')).toBe(false);
  });

  test('does not treat a schema as plain if it, or the value, is nested deeply', () => {
    expect(isPlain({ enum: [nested(20)] }, 1)).toBe(true);
    expect(isPlain({ enum: [nested(40)] }, 1)).toBe(false);
    expect(isPlain({ type: 'array' }, nested(32))).toBe(true);
    expect(isPlain({ type: 'array' }, nested(33))).toBe(false);
  });

  test('does not treat a schema as plain if it compares the elements of a long array', () => {
    const different = { type: 'array', uniqueItems: true };
    expect(isPlain(different, new Array(30).fill(1))).toBe(true);
    expect(isPlain(different, new Array(60).fill(1))).toBe(false);
  });

  test('does not treat a schema as plain for a large value, depending on its own size', () => {
    const small = { items: { type: 'number' } };
    const large = { items: { anyOf: new Array(100).fill({ type: 'number' }) } };
    const numbers = new Array(1000).fill(1);
    expect(isPlain(small, numbers)).toBe(true);
    expect(isPlain(large, numbers)).toBe(false);
    expect(isPlain(small, new Array(100_000).fill(1))).toBe(false);
    expect(isPlain(small, 'x'.repeat(10_000_000))).toBe(false);
  });
});
