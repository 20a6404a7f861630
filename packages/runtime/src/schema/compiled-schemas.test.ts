import type { JsonSchema } from '@ambit/core/json';
import { expect, test } from 'vitest';
import { compiledSchemas } from './compiled-schemas.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** A schema for numbers that takes a third of the cache. */
const large = (): JsonSchema => ({ type: 'number', examples: Array<number>(33_000).fill(0) });

const wrongType = [{ at: '', keyword: 'type', message: 'must be a number, not a string' }];

test('caches a compiled schema, which then finds the same issues', async () => {
  const schemas = compiledSchemas();
  expect(schemas.known('a')).toBeUndefined();
  const check = await schemas.compile('a', { type: 'number' });
  expect([check(1), check('x')]).toEqual([[], wrongType]);
  expect(await schemas.known('a')).toBe(check);
  expect(schemas.known('b')).toBeUndefined();
});

test('refuses an unusable schema without caching it, and accepts a usable one under the same key', async () => {
  const schemas = compiledSchemas();
  await expect(schemas.compile('a', { type: 'numbr' } as JsonSchema)).rejects.toThrow(UnusableSchemaError);
  expect(schemas.known('a')).toBeUndefined();
  await schemas.compile('a', { type: 'number' });
  expect((await schemas.known('a'))?.('x')).toEqual(wrongType);
});

test('drops the least recently used schemas when the cache is full', async () => {
  const schemas = compiledSchemas();
  for (const key of ['a', 'b', 'c']) await schemas.compile(key, large());
  expect((await schemas.known('a'))?.('x')).toEqual(wrongType);
  await schemas.compile('d', large());
  expect(cachedOf(schemas, 'abcd')).toBe('acd');
  // A small one needs only the space of the oldest.
  await schemas.compile('e', { type: 'number', examples: Array<number>(2000).fill(0) });
  expect(cachedOf(schemas, 'acde')).toBe('cde');
});

test('replaces a schema that is compiled again without taking more space', async () => {
  const schemas = compiledSchemas();
  for (const key of ['a', 'b', 'c', 'c', 'c']) await schemas.compile(key, large());
  expect(cachedOf(schemas, 'abc')).toBe('abc');
});

test('compiles a schema larger than the cache without caching it, and leaves the others cached', async () => {
  const schemas = compiledSchemas();
  await schemas.compile('a', large());
  const check = await schemas.compile('huge', { type: 'number', examples: ['x'.repeat(26_000_000)] });
  expect(check('x')).toEqual(wrongType);
  await schemas.compile('b', large());
  expect([cachedOf(schemas, 'ab'), schemas.known('huge')]).toEqual(['ab', undefined]);
});

function cachedOf({ known }: ReturnType<typeof compiledSchemas>, keys: string): string {
  return [...keys].filter((key) => known(key) !== undefined).join('');
}
