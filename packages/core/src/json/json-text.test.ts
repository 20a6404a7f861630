import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonText } from './json-text.ts';

const textOf = (text: string): JsonText => new JsonText(new TextEncoder().encode(text), 'a digest');

test('a text within a value is its value to whatever writes JSON', () => {
  expect(JSON.stringify({ a: [textOf('{"b":1}')] })).toBe('{"a":[{"b":1}]}');
});

test('the start of a text has as many characters as were asked for, or is all of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (content, characters) => {
      const text = content.toWellFormed();
      const start = textOf(text).start(characters);
      expect(text.startsWith(start)).toBe(true);
      expect(start.length).toBeGreaterThanOrEqual(Math.min(characters, text.length));
    }),
  );
});

test('a digest is counted when somebody wants it, and once', () => {
  let counted = 0;
  const text = new JsonText(new Uint8Array(), () => `digest ${++counted}`);
  expect([counted, text.sha256, text.sha256]).toEqual([0, 'digest 1', 'digest 1']);
});
