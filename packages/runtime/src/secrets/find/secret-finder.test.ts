// Threat model: T204, T205

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWhole } from '../../../../../test/support/whole.ts';
import { decode } from './decode.ts';
import { secretFinder } from './secret-finder.ts';

/** Contains every character that some rule escapes, and some that no rule escapes. */
const secret = 'kT9/+"é= z&w<5%q';
const token = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5jK7m';
const claims = 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUifQ.';
const link = 'https://hooks.example/services/T0aB3dE5g/H7jK9mN1p/Q3sT5vW7yZ9bC1dF3gH5jK7m';

function redacted(text: string, ...values: string[]): string {
  const shown = Buffer.from(text);
  for (const { from, to } of secretFinder(values).find(shown, 0, true).spans) shown.fill('*', from, to);
  return shown.toString('latin1');
}

const unicode = (value: string): string =>
  [...value].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const entities = (value: string, of: (code: number) => string): string =>
  [...value].map((letter) => `&#${of(letter.charCodeAt(0))};`).join('');
const percent = (value: string): string =>
  [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const json = (value: string): string => JSON.stringify(value).slice(1, -1);
const inLines = (text: string, size: number, lineBreak: string): string =>
  text.replace(new RegExp(`.{${size}}`, 'g'), `$&${lineBreak}`);

describe('the forms of a secret', () => {
  test.each([
    ['unchanged', secret],
    ['in capitals', secret.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
    ['in JSON', json(secret)],
    ['in JSON with every slash escaped', json(secret).replaceAll('/', '\\/')],
    ['in JSON with only ASCII', json(secret).replaceAll('é', '\\u00E9').replaceAll('+', '\\u002B')],
    ['in JSON with every character escaped', unicode(secret)],
    ['in JSON in JSON', json(json(secret))],
    ['in JSON in JSON in JSON', json(json(json(secret.replaceAll('é', '\\u00e9'))))],
    ['with hexadecimal escapes', secret.replaceAll('é', '\\xe9').replaceAll('"', '\\x22')],
    ['with the bytes of UTF-8 as hexadecimal escapes', secret.replaceAll('é', '\\xC3\\xa9')],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded in lower case', percent(secret)],
    ['percent-encoded in capitals', percent(secret).toUpperCase()],
    ['percent-encoded as a path', encodeURI(secret)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['percent-encoded as Latin-1', encodeURIComponent(secret).replaceAll('%C3%A9', '%E9')],
    ['as a form field', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ['in HTML with names', secret.replaceAll('&', '&amp;').replaceAll('+', '&plus;').replaceAll('/', '&sol;')],
    ['in HTML with decimal numbers', entities(secret, (code) => code.toString())],
    ['in HTML with hexadecimal numbers', entities(secret, (code) => `X${code.toString(16)}`)],
    ['in HTML in HTML', entities(secret, (code) => code.toString()).replaceAll('&', '&amp;')],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
    ['in hexadecimal in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
  ])('finds a secret %s', (_, form) => {
    expect(redacted(`<${form}>`, secret)).toBe(`<${'*'.repeat(Buffer.byteLength(form))}>`);
  }); // biome-ignore format: a table

  test.each([
    ['base64', (text: string) => text],
    ['base64url', (text: string) => Buffer.from(text, 'base64').toString('base64url')],
    ['base64 in JSON', (text: string) => text.replaceAll('/', '\\/')],
    ['base64 in a URL', encodeURIComponent],
    ['base64 in lines', (text: string) => inLines(text, 64, '\n')],
    ['base64 in lines of MIME', (text: string) => inLines(text, 76, '\r\n')],
    ['base64 in lines in JSON', (text: string) => json(inLines(text, 60, '\n'))],
    ['base64 in lines in YAML', (text: string) => inLines(text, 40, '\n      ')],
  ])('finds a secret in %s, with any surroundings', (_, write) => {
    for (let before = 0; before < 80; before++) {
      const around = Buffer.from(`${'>'.repeat(before)}${secret}${'?'.repeat(80)}`);
      const text = write(around.toString('base64'));
      const shown = redacted(text, secret);
      // The characters at both ends also encode the neighbouring bytes.
      const hidden = text.length - shown.replaceAll('*', '').length;
      expect(hidden, shown).toBeGreaterThanOrEqual(Math.floor((Buffer.byteLength(secret) * 8) / 6) - 1);
    }
  });

  test('finds a secret in hexadecimal in lines, and hides what surrounds it in the same run', () => {
    const text = inLines(Buffer.from(`${'>'.repeat(20)}${token}${'?'.repeat(20)}`).toString('hex'), 60, '\n');
    expect(redacted(`"${text}"`, token)).toBe(`"${'*'.repeat(text.length)}"`);
  });

  test('finds the password of a URL alone, decoded and as it is written', () => {
    const url = 'postgres://app:p%40ss%2Fword-5GtR7uE9@db.example/x';
    expect(redacted('p@ss/word-5GtR7uE9 p%40ss%2Fword-5GtR7uE9 p%40ss/WORD-5GtR7uE9', url)).toBe(
      `${'*'.repeat(18)} ${'*'.repeat(22)} ${'*'.repeat(20)}`,
    );
    expect(redacted(`a ${url} b`, url)).toBe(`a postgres://app:${'*'.repeat(22)}@db.example/x b`);
    expect(redacted('postgres://app: app db.example/x', url)).toBe('postgres://app: app db.example/x');
    expect(redacted(`${token}@`, `https://${token}@git.example/a.git`)).toBe(`${'*'.repeat(40)}@`);
  });
});

test.each([
  ['a word that is also the start of a secret', 'the application-key of an application', 'application-key-9f8e7d6c5b'],
  ['a scheme and host that are also the start of a secret', 'https:// https://hooks.example/services/ ', link],
  ['another token of the same kind', 'github_pat_ZZZZZZZZZZZZ ghp_ZZZZ', `github_pat_${token}`],
  ['a number and words that are also the start of a secret', 'sk-ant-api03-ZZZZ xoxb-1234567890-ZZZZ', `xoxb-1234567890-${token}`],
  ['another signed token with the same header and claims', `${claims}${token.slice(20)}`, `${claims}${token}`],
  ['another token with the same first fifteen letters', `${token.slice(0, 15)}ZZZZZZZZ`, token],
  ['fifteen characters', `${token.slice(0, 15)} ${token.slice(0, 15)}…`, token],
  ['the end of a secret', token.slice(1), token],
  ['lines of text', 'aB3dE5g\nH7jK9mN1p', token.slice(0, 16)],
  ['a secret under sixteen bytes', 'hunter2-hunter2 hunter2', 'hunter2-hunter2'],
  ['a secret with fewer than sixteen bytes beyond its prefix', `ghp_${token.slice(0, 15)}`, `ghp_${token.slice(0, 15)}`],
  ['a URL with a short end', 'https://hooks.example/api/v1/hook?key=aB3dE5gH7', 'https://hooks.example/api/v1/hook?key=aB3dE5gH7'],
  ['a URL with a short password', 'postgres://app:hunter2@db.example:5432/x', 'postgres://app:hunter2@db.example:5432/x'],
  ['a form of a secret that has little left without its escapes', 'ABCDEF', '%41%42%43%44%45F'],
])('leaves text that is not a secret: %s', (_, text, value) => {
  expect(redacted(text, value)).toBe(text.replaceAll('…', '\xe2\x80\xa6'));
}); // biome-ignore format: a table

describe('what is hidden with a match', () => {
  test.each([
    ['a truncated secret', `key ${token.slice(0, 16)}... or ${token.slice(0, 20)}`, `key ${'*'.repeat(19)} or ${'*'.repeat(20)}`],
    ['a beginning that another text continues', `"${token.slice(0, 16)}ZZZ!","b"`, `"${'*'.repeat(20)}","b"`],
    ['the characters before it, without the name of a value', `token=x.y${token}, zz/${token}`, `token=${'*'.repeat(43)}, ${'*'.repeat(43)}`],
    ['escaped', `\\"${percent(token.slice(0, 16))}AB%2fCD\\"`, `\\"${'*'.repeat(55)}\\"`],
    ['before an escaped line break', String.raw`${token.slice(0, 16)}\n${token.slice(0, 16)}&quot;`, String.raw`${'*'.repeat(16)}\n${'*'.repeat(16)}&quot;`],
    ['in base64 with its padding', `"${Buffer.from(`?${token.slice(0, 18)}`).toString('base64')}"`, `"${'*'.repeat(28)}"`],
    ['in hexadecimal', `<${Buffer.from(token).toString('hex').slice(0, 33)}>`, `<${'*'.repeat(33)}>`],
    ['256 characters before it', `${'x'.repeat(300)}${token} x`, `${'x'.repeat(44)}${'*'.repeat(296)} x`],
    ['two in the same run', `${token}/${token} ${token}`, `${'*'.repeat(81)} ${'*'.repeat(40)}`],
  ])('hides the run of token characters around a match: %s', (_, text, expected) => {
    expect(redacted(text, token)).toBe(expected);
  }); // biome-ignore format: a table

  test('hides a secret with spaces or quotes only as a whole', () => {
    const words = 'correct horse battery staple';
    expect(redacted(`${words} ${words.slice(0, -1)}!`, words)).toBe(
      `${'*'.repeat(28)} ${words.slice(0, -1)}!`,
    );
    const quoted = `kT9 "${token.slice(0, 20)}" x7Q`;
    expect(redacted(`${quoted.slice(0, -1)} ${quoted.slice(0, -4)}`, quoted)).toBe(
      `${'*'.repeat(29)} ${quoted.slice(0, -4)}`,
    );
  });

  test('hides as much of an endless run for a longer match', () => {
    const run = 'z'.repeat(2000);
    const hidden = (text: string): string => redacted(`${text}${run}`, token).replaceAll('z', '');
    expect(hidden(token.slice(0, 16)).length).toBe(hidden(token).length);
    expect(hidden(token)).toMatch(/^[*]{300,500}$/);
  });
});

const html = (value: string): string => value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
const asField = (value: string): string => new URLSearchParams({ a: value }).toString().slice(2);
const asIs = (value: string): string => value;

test('finds a secret in every way to write it, with any surroundings', () => {
  const ways = [
    ...[
      asIs,
      json,
      (value: string) => json(json(value)),
      encodeURIComponent,
      percent,
      unicode,
      html,
      asField,
    ],
    (value: string) => html(html(value)),
    (value: string) => encodeURIComponent(encodeURIComponent(value)),
    (value: string) => json(value).replaceAll('/', String.raw`\/`),
  ];
  // Characters of escapes, and characters that often follow them.
  const unit = fc.oneof(fc.constantFrom(...'\\%&25n;ux'), fc.string({ minLength: 1, maxLength: 1 }));
  // Enough must remain of the secret without what looks like its escapes.
  const value = fc
    .string({ minLength: 16, maxLength: 60, unit })
    .filter((of) => decode(Buffer.from(of), false).bytes.length >= 16);
  const beginsEscape = /(?:%[0-9a-f]?|\\[ux]?[0-9a-f]*|&[#\w;]*)$/i;
  fc.assert(
    fc.property(value, fc.constantFrom(...ways), fc.string(), fc.string(), (of, way, start, end) => {
      fc.pre(way === asIs || !beginsEscape.test(start));
      // Such an end combines with what follows it, and less than the whole secret remains.
      const [open, closed] = [false, true].map((isEnd) => decode(Buffer.from(of), isEnd).bytes.length);
      fc.pre(open === closed);
      const form = way(of);
      // The form may contain asterisks.
      expect(redacted(`${start}${form}${end}`, of).replaceAll('*', '\n')).not.toContain(form);
    }),
    { numRuns: isWhole ? 3000 : 500 },
  );
});
