import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PayloadPolicy, type Redactor, recordedPayload } from './recorded-payload.ts';

const secret = 'swordfish';
const redactor: Redactor = {
  redact: (text) => text.replaceAll(secret, '*'),
  secretCharactersMax: secret.length,
};
const policy = (payloads: PayloadPolicy['payloads'], most: number): PayloadPolicy => ({
  payloads,
  previewCharacters: most,
  fullBytes: most,
});

/** Like `JsonText`: returns as much as requested, or more. */
const json = (text: string) => ({ start: () => text });

describe('of a payload is stored', () => {
  test('nothing, if only digests are wanted', async () => {
    expect(await recordedPayload(policy('digest', 100), redactor, 'input', json('text'))).toBeUndefined();
  });

  test.each([
    ['preview', 'short', 10, { text: 'short', isCut: false }],
    ['preview', 'exactly ten', 7, { text: 'exactly', isCut: true }],
    ['preview', 'a🙂b', 2, { text: 'a', isCut: true }],
    ['preview', `a ${secret}`, 4, { text: 'a *', isCut: false }],
    ['preview', `a ${secret}`, 2, { text: 'a ', isCut: true }],
    ['full', 'üü', 4, { text: 'üü', isCut: false }],
    ['full', 'üü', 3, { text: 'ü', isCut: true }],
    ['full', 'a\ud83d', 10, { text: 'a\ufffd', isCut: false }],
  ] as const)('%s of %j within %i', async (payloads, text, most, kept) => {
    expect(await recordedPayload(policy(payloads, most), redactor, 'output', json(text))).toEqual({
      of: 'output',
      ...kept,
    });
  });
});

test('wherever a text is cut, no piece of a secret longer than chance is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('preview' as const, 'full' as const),
      fc.string(),
      fc.string(),
      fc.nat(60),
      async (payloads, before, after, most) => {
        const kept = await recordedPayload(
          policy(payloads, most),
          redactor,
          'input',
          json(`${before}${secret}${after}`),
        );
        expect(kept?.text).not.toContain(secret.slice(0, 4));
      },
    ),
  );
});
