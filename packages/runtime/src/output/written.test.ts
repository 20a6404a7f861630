// Threat model: T282

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenText } from './written.ts';

test('decodes a long text in pieces like the whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.nat(40_000), async (text, before) => {
      const bytes = Buffer.from('\ufeff'.padEnd(before, 'a') + text);
      expect(await writtenText(bytes, false)).toBe(bytes.toString());
    }),
    { numRuns: 100 },
  );
});

test('drops half a character at the end of truncated output and replaces it in complete output', async () => {
  const bytes = Buffer.from('aü').subarray(0, 2);
  expect([await writtenText(bytes, true), await writtenText(bytes, false)]).toEqual(['a', 'a\ufffd']);
});
