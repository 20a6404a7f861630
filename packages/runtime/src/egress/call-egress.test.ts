import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretRedactor } from '../secrets/secret-redactor.ts';
import { redactedBytes, redactedCut, redactedFiles, redactedText } from './call-egress.ts';

const secret = 'open-sesame';
const call = { redactor: secretRedactor([secret]), placeholders: { SECRET: 'a-placeholder' } };
const stars = '*'.repeat(secret.length);

test('redacts a secret anywhere in a long text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40_000), fc.nat(40_000), async (before, after) => {
      const around = (what: string): string => `${'a'.repeat(before)}${what}${'b'.repeat(after)}`;
      expect(await redactedText(call, around(secret))).toBe(around(stars));
      expect(Buffer.from(await redactedBytes(call, Buffer.from(around(secret)))).toString()).toBe(
        around(stars),
      );
    }),
    { numRuns: 50 },
  );
});

test('drops the start of a secret at the end of truncated output, and only there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40_000), fc.integer({ min: 5, max: secret.length - 1 }), async (before, cut) => {
      const text = `${secret}${'a'.repeat(before)}${secret.slice(0, cut)}`;
      const shown = `${stars}${'a'.repeat(before)}`;
      expect(Buffer.from(await redactedCut(call, Buffer.from(text))).toString()).toBe(shown);
      expect(Buffer.from(await redactedCut(call, Buffer.from(`${text}.`))).toString()).toBe(
        `${shown}${Buffer.from(await redactedBytes(call, Buffer.from(`${secret.slice(0, cut)}.`)))}`,
      );
    }),
    { numRuns: 50 },
  );
});

test('drops no more than the start of a long secret', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join('');
  const withLong = { redactor: secretRedactor([long]), placeholders: call.placeholders };
  const shown = async (text: string) => (await redactedCut(withLong, Buffer.from(text))).length;
  // More than one piece, the last of them short.
  const beginning = long.slice(0, 18_000);
  expect(await shown(beginning)).toBe(0);
  expect(await shown(`${beginning}---`)).toBe(18_003);
});

test('redacts a secret in text files, and leaves other files and files without content unchanged', async () => {
  const file = (content: Uint8Array | null) => ({ path: 'a', change: 'created' as const, bytes: 1, content });
  const odd = Buffer.concat([Buffer.from(secret), Buffer.of(0xff)]);
  expect(await redactedFiles(call, [file(Buffer.from(secret)), file(odd), file(null)])).toEqual([
    ...[file(Buffer.from(stars)), file(odd), file(null)],
  ]);
});

test('redacts nothing in a call without secrets', async () => {
  const without = { ...call, placeholders: {} };
  expect(await redactedText(without, secret)).toBe(secret);
  expect(await redactedText(undefined, secret)).toBe(secret);
  expect(Buffer.from(await redactedCut(without, Buffer.from(secret.slice(0, 8)))).toString()).toBe(
    'open-ses',
  );
});
