import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonText } from './json-text.ts';

const textOf = (text: string): JsonText => new JsonText(new TextEncoder().encode(text), 'a digest');

test('any JSON serializer writes a JsonText as its value', () => {
  expect(JSON.stringify({ a: [textOf('{"b":1}')] })).toBe('{"a":[{"b":1}]}');
});

test('the start of a JsonText has at least the requested number of characters, or all of them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (content, characters) => {
      const text = content.toWellFormed();
      const start = textOf(text).start(characters);
      expect(text.startsWith(start)).toBe(true);
      expect(start.length).toBeGreaterThanOrEqual(Math.min(characters, text.length));
    }),
  );
});

test('a JsonText computes its digest on demand, and once', () => {
  let counted = 0;
  const text = new JsonText(new Uint8Array(), () => `digest ${++counted}`);
  expect([counted, text.sha256, text.sha256]).toEqual([0, 'digest 1', 'digest 1']);
});
