import type { JsonSchema } from '@ambit/core/internal';
import { expect, test } from 'vitest';
import { compiledSchemas } from './compiled-schemas.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** A schema for numbers, that takes a third of what all that are kept may take. */
const large = (): JsonSchema => ({ type: 'number', examples: Array<number>(33_000).fill(0) });

const wrongType = [{ at: '', keyword: 'type', message: 'must be a number, not a string' }];

test('a schema is known once it was compiled, and what it has against a value is the same then', async () => {
  const schemas = compiledSchemas();
  expect(schemas.known('a')).toBeUndefined();
  const check = await schemas.compile('a', { type: 'number' });
  expect([check(1), check('x')]).toEqual([[], wrongType]);
  expect(await schemas.known('a')).toBe(check);
  expect(schemas.known('b')).toBeUndefined();
});

test('a schema that cannot be used is refused and not kept, and one that can takes its place', async () => {
  const schemas = compiledSchemas();
  await expect(schemas.compile('a', { type: 'numbr' } as JsonSchema)).rejects.toThrow(UnusableSchemaError);
  expect(schemas.known('a')).toBeUndefined();
  await schemas.compile('a', { type: 'number' });
  expect((await schemas.known('a'))?.('x')).toEqual(wrongType);
});

test('when there are too many, those go that were used longest ago', async () => {
  const schemas = compiledSchemas();
  for (const key of ['a', 'b', 'c']) await schemas.compile(key, large());
  expect((await schemas.known('a'))?.('x')).toEqual(wrongType);
  await schemas.compile('d', large());
  expect(keptOf(schemas, 'abcd')).toBe('acd');
  // A small one needs no more than the oldest of them.
  await schemas.compile('e', { type: 'number', examples: Array<number>(2000).fill(0) });
  expect(keptOf(schemas, 'acde')).toBe('cde');
});

test('a schema that is compiled anew takes its own place and no more', async () => {
  const schemas = compiledSchemas();
  for (const key of ['a', 'b', 'c', 'c', 'c']) await schemas.compile(key, large());
  expect(keptOf(schemas, 'abc')).toBe('abc');
});

test('a schema larger than all that may be kept is compiled and not kept, and others stay and come as before', async () => {
  const schemas = compiledSchemas();
  await schemas.compile('a', large());
  const check = await schemas.compile('huge', { type: 'number', examples: ['x'.repeat(26_000_000)] });
  expect(check('x')).toEqual(wrongType);
  await schemas.compile('b', large());
  expect([keptOf(schemas, 'ab'), schemas.known('huge')]).toEqual(['ab', undefined]);
});

function keptOf({ known }: ReturnType<typeof compiledSchemas>, keys: string): string {
  return [...keys].filter((key) => known(key) !== undefined).join('');
}
