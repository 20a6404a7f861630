// Threat model: T176, T205, T411

import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callRedaction } from './call/call-redaction.ts';
import { redactedBytes, redactedCut, redactedFiles, redactedText } from './call-egress.ts';

const secret = 'open-8Jq2Lm5Rt7Wz';
const call = { redaction: callRedaction([secret]), placeholders: { SECRET: 'a-placeholder' } };
const stars = '*'.repeat(secret.length);
const shownCut = async (text: string): Promise<string> =>
  Buffer.from(await redactedCut(call, Buffer.from(text))).toString();

test('redacts a secret anywhere in a long text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20_000), fc.nat(20_000), async (before, after) => {
      const around = (what: string): string => `${'a '.repeat(before)}${what}${' b'.repeat(after)}`;
      expect(await redactedText(call, around(secret))).toBe(around(stars));
      expect(Buffer.from(await redactedBytes(call, Buffer.from(around(secret)))).toString()).toBe(
        around(stars),
      );
    }),
    { numRuns: 50 },
  );
});

test('drops the last line of truncated output, whatever it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20_000), fc.nat(secret.length - 1), async (before, cut) => {
      const lines = `${secret}\n${'a '.repeat(before)}\n`;
      for (const end of [secret.slice(0, cut), 'x'.repeat(cut), `${secret.slice(0, cut)}.`, `${secret} x`])
        expect(await shownCut(`${lines}${end}`)).toBe(lines.replace(secret, stars));
    }),
    { numRuns: 50 },
  );
});

test('drops 64 bytes and a word of a longer line, whatever they are', async () => {
  const words = 'word '.repeat(5000);
  for (const end of ['', secret.slice(0, 4), secret.slice(0, 12), 'w'.repeat(12), secret]) {
    const count = words.length + end.length - 64;
    expect(await shownCut(`${words}${end}`)).toBe(words.slice(0, count - (count % 5)));
  }
  const long = { redaction: callRedaction(['8Jq2'.repeat(5000)]), placeholders: call.placeholders };
  expect((await redactedCut(long, Buffer.from(words))).length).toBe(words.length - 65);
});

test('redacts a secret in the content and the path of files, marks these, and leaves others unchanged', async () => {
  const file = (content: string | null, path = 'a') => ({
    path,
    change: 'created' as const,
    bytes: 1,
    content: content === null ? null : Buffer.from(content, 'latin1'),
  });
  const given = [file(secret), file(`${secret}\xff`), file('x', secret), file('other'), file(null)];
  expect(await redactedFiles(call, given)).toEqual([
    { ...file(stars), redacted: true },
    { ...file(`${stars}\xff`), redacted: true },
    { ...file('x', stars), redacted: true },
    file('other'),
    file(null),
  ]);
});

test('redacts a secret in the target of a link, and leaves other targets unchanged', async () => {
  const link = (target: string, path = 'a') => ({
    path,
    change: 'created' as const,
    bytes: 0,
    content: null,
    link: target,
  });
  expect(await redactedFiles(call, [link(secret), link('b', secret), link('other')])).toEqual([
    { ...link(stars), redacted: true },
    { ...link('b', stars), redacted: true },
    link('other'),
  ]);
});

test('leaves out a file that is read in parts if it has a secret, wherever the parts begin', async () => {
  const large = (content: string, size: number, path = 'a') => ({
    path,
    change: 'created' as const,
    bytes: content.length,
    content: {
      length: content.length,
      sha256: hash('sha256', content),
      async *parts() {
        for (let at = 0; at < content.length; at += size) yield Buffer.from(content.slice(at, at + size));
      },
    },
  });
  const text = `${'a '.repeat(20)}${secret}${' b'.repeat(20)}`;
  for (let size = 1; size <= text.length; size += 1) {
    const [found, wrong] = [
      large(text, size),
      large(text.replace(secret, `${secret.slice(0, -6)}wrong!`), size),
    ];
    expect(await redactedFiles(call, [found, wrong])).toEqual([
      {
        ...found,
        content: null,
        omitted: 'it is too large to redact a secret of the skill in it',
        redacted: true,
      },
      wrong,
    ]);
  }
  const named = large('other', 5, secret);
  expect(await redactedFiles(call, [named])).toEqual([{ ...named, path: stars, redacted: true }]);
});

test('redacts nothing in a call without secrets', async () => {
  const without = { ...call, placeholders: {} };
  expect(await redactedText(without, secret)).toBe(secret);
  expect(await redactedText(undefined, secret)).toBe(secret);
  expect(Buffer.from(await redactedCut(without, Buffer.from(secret.slice(0, 8)))).toString()).toBe(
    'open-8Jq',
  );
});
