// Threat model: T208, T254

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { secretRedactor } from './secret-redactor.ts';

// Some are repetitive, some contain escapes, some are too short to be matched.
const secrets = [
  'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1d',
  'abcdefgh-abcdefgh.abcdefgh-1',
  'https://hooks.example/T0/aB3dE5gH7jK9mN1p',
  'é"\\u0041/%25&amp;öü',
  'aaaaaaaaaaaa',
  'aaaaaaaaaaaaaaaaaaaa',
  `x8Jq "2Lm5" ${'Rt7W '.repeat(8)}`,
  'ab"c',
];

/** Ways in which no character is left between secrets. */
const endless: Record<string, (text: string) => string> = {
  unchanged: (text) => text,
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'percent-encoded': encodeURIComponent,
  'in base64': (text) => Buffer.from(`?${text}`).toString('base64').replace(/=+$/, ''),
  'in lines of base64': (text) =>
    Buffer.from(`${'?'.repeat(10)}${text}`)
      .toString('base64')
      .replace(/=+$/, '')
      .replace(/.{64}(?=.)/g, '$&\r\n'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
};

test('redacts a text in pieces of any size like the whole text', () => {
  const redactor = secretRedactor(secrets);
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const ways: ((text: string) => string)[] = [
    (text) => text,
    json,
    (text) => json(json(text)),
    encodeURIComponent,
    (text) => encodeURIComponent(encodeURIComponent(text)),
    (text) => Buffer.from(text).toString('hex'),
    base64,
    (text) => [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    (text) => [...text].map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
    (text) => base64(`${'?'.repeat(40)}${text}${'?'.repeat(40)}`).replace(/.{40}/g, '$&\r\n  '),
    (text) => json(base64(`${'?'.repeat(31)}${text}${'?'.repeat(50)}`).replace(/.{64}/g, '$&\n')),
  ];
  const written = fc
    .tuple(fc.constantFrom(...secrets), fc.constantFrom(...ways), fc.nat(80), fc.nat(80))
    .map(([secret, way, from, to]) => Buffer.from(way(secret)).subarray(from > 40 ? 0 : from, 400 - to * 5));
  const part = fc.oneof(
    written,
    fc.constantFrom('\\', '%', '&', '%2', '\\u00', '&#', '\n', '\r', '\r\n   ', 'a', 'ab').map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  ); // biome-ignore format: one a line
  const cuts = fc.array(fc.nat(600), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), cuts, (parts, at) => {
      const whole = Buffer.concat(parts);
      const places = [0, ...at.map((place) => Math.min(place, whole.length)), whole.length];
      const { take, rest } = redactor.pieces();
      const shown = places
        .sort((a, b) => a - b)
        .slice(1)
        .map((end, index) => Buffer.from(take(whole.subarray(places[index], end))));
      expect(Buffer.concat([...shown, rest()]).toString('latin1')).toBe(
        Buffer.from(redactor.bytes(whole)).toString('latin1'),
      );
    }),
    { numRuns: isWhole ? 2000 : 500 },
  );
});

test('redacts a text of many blocks like its pieces', () => {
  const redactor = secretRedactor(secrets);
  const text = `${'x '.repeat(131_070)}${secrets[0]} `.repeat(4);
  expect(redactor.text(text)).toBe(`${'x '.repeat(131_070)}${'*'.repeat(31)} `.repeat(4));
  expect(redactor.redactions()).toBe(4);
});

test.each(Object.entries(endless))(
  'does not hold back a stream that repeats a secret without end, %s',
  (_, write) => {
    const repeated = Buffer.from(write(`aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1d${'"x y" '.repeat(2)}`.repeat(8000)));
    const redactor = secretRedactor(['aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1d"x y" "x y" ', ...secrets]);
    const { take, rest } = redactor.pieces();
    const shown: Buffer[] = [];
    let heldBytes = 0;
    for (let at = 0; at < repeated.length; at += 4001) {
      shown.push(Buffer.from(take(repeated.subarray(at, at + 4001))));
      heldBytes = Math.max(heldBytes, Math.min(at + 4001, repeated.length) - Buffer.concat(shown).length);
    }
    const whole = Buffer.concat([...shown, rest()]).toString();
    expect(whole.replace(/\*+/, '')).toBe('');
    expect(whole).toHaveLength(repeated.length);
    expect(heldBytes).toBeLessThan(64 * 1024);
    expect(redactor.redactions()).toBe(1);
  },
);

test("redacts a secret in a header's name or value without changing its length, and no other header", () => {
  const { header } = secretRedactor(['sésame-öffne-dich']);
  const sent = Buffer.from('sésame-öffne-dich').toString('latin1');
  expect([header(`x-${sent}`), header('X-SéSAME-öFFNE-DICH'), header('x-request-id')]).toEqual([
    '*'.repeat(sent.length + 2),
    '*'.repeat(19),
    'x-request-id',
  ]);
});

test('takes linear time for hostile texts and a secret of 64 KiB, whole and byte by byte', () => {
  const long = 'a'.repeat(65_536);
  const redactor = secretRedactor([long, `${'ab'.repeat(20_000)}c`, `${'a '.repeat(10_000)}c`, ...secrets]);
  const pieces = [
    'a', 'ab', 'a ', '\\', '\\u', '\\u0061', '\\\\u0061', '%', '%2', '%25', '%61', '&', '&#', '&amp;', '&#97;', '\n', '\r\n',
    `${'a'.repeat(64)}\n`, `${'a'.repeat(64)}\r\n${' '.repeat(16)}`, 'YWFh', '61', '616', 'aaaaaaaab',
  ]; // biome-ignore format: a list of pieces
  for (const piece of pieces) redactor.bytes(Buffer.from(piece.repeat(Math.ceil(50_000 / piece.length))));
  const { take, rest } = redactor.pieces();
  const dripping = Buffer.from(`${'a'.repeat(30_000)}x`.repeat(3));
  let shown = 0;
  for (const byte of dripping) shown += take(Buffer.of(byte)).length;
  expect(shown + rest().length).toBe(dripping.length);
});
