import { expect, test } from 'vitest';
import { z } from 'zod';
import { schemas } from './schemas.ts';

const Point = z.strictObject({ x: z.int(), of: z.array(z.string()).readonly() }).meta({ id: 'Point' });

test('a named schema is defined once and referenced', () => {
  const made = schemas();
  expect(made.ofAnswer(z.strictObject({ a: Point, b: Point.nullable() }))).toEqual({
    type: 'object',
    properties: {
      a: { $ref: '#/components/schemas/Point' },
      b: { anyOf: [{ $ref: '#/components/schemas/Point' }, { type: 'null' }] },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  });
  expect(made.named()).toEqual({
    Point: {
      type: 'object',
      properties: { x: { type: 'integer' }, of: { type: 'array', items: { type: 'string' } } },
      required: ['x', 'of'],
      additionalProperties: false,
    },
  });
});

test('a field with a default is optional in requests and required in responses', () => {
  const made = schemas();
  const schema = z.strictObject({ limit: z.int().default(5) });
  const properties = { limit: { type: 'integer', default: 5 } };
  expect(made.ofRequest(schema)).toEqual({ type: 'object', properties, additionalProperties: false });
  expect(made.ofAnswer(schema)).toEqual({
    ...{ type: 'object', properties, additionalProperties: false },
    required: ['limit'],
  });
});
