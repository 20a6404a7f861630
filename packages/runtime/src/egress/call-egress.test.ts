import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedBytes, maskedCut, maskedFiles, maskedText } from './call-egress.ts';
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

test('leaves out the beginning of a secret where a stream was cut off, and only there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40_000), fc.integer({ min: 5, max: secret.length - 1 }), async (before, cut) => {
      const text = `${secret}${'a'.repeat(before)}${secret.slice(0, cut)}`;
      const shown = `${stars}${'a'.repeat(before)}`;
      expect(Buffer.from(await maskedCut(call, Buffer.from(text))).toString()).toBe(shown);
      expect(Buffer.from(await maskedCut(call, Buffer.from(`${text}.`))).toString()).toBe(
        `${shown}${Buffer.from(await maskedBytes(call, Buffer.from(`${secret.slice(0, cut)}.`)))}`,
      );
    }),
    { numRuns: 50 },
  );
});

test('leaves out no more than that of a long secret', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join('');
  const withLong = { mask: secretMask([long]), placeholders: call.placeholders };
  const shown = async (text: string) => (await maskedCut(withLong, Buffer.from(text))).length;
  // Of more than one piece, of which the last is short.
  const beginning = long.slice(0, 18_000);
  expect(await shown(beginning)).toBe(0);
  expect(await shown(`${beginning}---`)).toBe(18_003);
});

test('covers a secret in files of text, and leaves others and those without content unchanged', async () => {
  const file = (content: Uint8Array | null) => ({ path: 'a', change: 'created' as const, bytes: 1, content });
  const odd = Buffer.concat([Buffer.from(secret), Buffer.of(0xff)]);
  expect(await maskedFiles(call, [file(Buffer.from(secret)), file(odd), file(null)])).toEqual([
    ...[file(Buffer.from(stars)), file(odd), file(null)],
  ]);
});

test('covers nothing in a call without secrets', async () => {
  const without = { ...call, placeholders: {} };
  expect(await maskedText(without, secret)).toBe(secret);
  expect(await maskedText(undefined, secret)).toBe(secret);
  expect(Buffer.from(await maskedCut(without, Buffer.from(secret.slice(0, 8)))).toString()).toBe('open-ses');
});
