import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gather } from './gather.ts';

test('joins pieces of any length in order, in a buffer of their own', async () => {
  const lengths = fc.array(fc.oneof(fc.nat(10), fc.nat(2_000_000)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(lengths, async (all) => {
      const pieces = all.map((length, index) => Buffer.alloc(length, index + 1));
      const whole = await gather(pieces);
      expect(Buffer.compare(whole, Buffer.concat(pieces))).toBe(0);
      expect(whole.buffer.byteLength).toBe(whole.length);
    }),
    { numRuns: 30 },
  );
});
