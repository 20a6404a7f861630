import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenText } from './written.ts';

test('a long text is the same as one that is decoded in one go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.nat(40_000), async (text, before) => {
      const bytes = Buffer.from('\ufeff'.padEnd(before, 'a') + text);
      expect(await writtenText(bytes, false)).toBe(bytes.toString());
    }),
    { numRuns: 100 },
  );
});

test('half a character at the end is left out of a stream that was cut off, and replaced in a whole one', async () => {
  const bytes = Buffer.from('aü').subarray(0, 2);
  expect([await writtenText(bytes, true), await writtenText(bytes, false)]).toEqual(['a', 'a\ufffd']);
});
