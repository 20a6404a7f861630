import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedBytes, maskedText } from './call-egress.ts';
import { secretMask } from './secrets/secret-mask.ts';

const secret = 'open-sesame';
const call = { mask: secretMask([secret]), placeholders: { SECRET: 'a-placeholder' } };
const stars = '*'.repeat(secret.length);

test('covers a secret wherever it is in what is long', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40_000), fc.nat(40_000), async (before, after) => {
      const around = (what: string): string => `${'a'.repeat(before)}${what}${'b'.repeat(after)}`;
      expect(await maskedText(call, around(secret))).toBe(around(stars));
      expect(Buffer.from(await maskedBytes(call, Buffer.from(around(secret)))).toString()).toBe(
        around(stars),
      );
    }),
    { numRuns: 50 },
  );
});

test('covers nothing in a call without secrets', async () => {
  const without = { ...call, placeholders: {} };
  expect(await maskedText(without, secret)).toBe(secret);
  expect(await maskedText(undefined, secret)).toBe(secret);
});
