import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretFinder } from './secret-finder.ts';

/** Contains every character that some rule escapes, and some that no rule escapes. */
const secret = 'kT9/+"é= z&w<5%q';
const token = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5jK7m';
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

  test('finds a secret in hexadecimal in lines', () => {
    const text = inLines(Buffer.from(`${'>'.repeat(20)}${token}${'?'.repeat(20)}`).toString('hex'), 60, '\n');
    expect(redacted(text, token).replaceAll('\n', '')).toMatch(/^(3e){20}\*{80,82}(3f){20}$/);
  });
});

describe('text that is not a secret', () => {
  test.each([
    ['a word that is also the start of a secret', 'the application-key of an application', 'application-key-9f8e7d6c5b'],
    ['a scheme and host that are also the start of a secret', 'https:// https://hooks.example/services/ ', link],
    ['another token of the same kind', 'github_pat_ZZZZZZZZZZZZ ghp_ZZZZ', `github_pat_${token}`],
    ['another token with the same first letters', `${token.slice(0, 24)}ZZZZZZZZ`, token],
    ['less than eight characters', `${token.slice(0, 7)} ${token.slice(0, 7)}…`, token],
    ['the end of a secret', token.slice(8), token],
    ['lines of text', 'aB3dE5g\nH7jK9mN1p', token.slice(0, 16)],
    ['a short secret in capitals', 'SESAM sesa', 'sesam'],
    ['a short secret as part of an escape', String.raw`\u00e9`, '00e8'],
  ])('leaves %s', (_, text, value) => {
    expect(redacted(text, value)).toBe(text.replaceAll('…', '\xe2\x80\xa6'));
  }); // biome-ignore format: a table
});

describe('truncated secrets', () => {
  test.each([
    ['eight characters of it at the end', `key ${token.slice(0, 8)}`, 'key ********'],
    ['before dots', `${token.slice(0, 8)}...`, '********...'],
    ['before asterisks, a quote, a line break', `${token.slice(0, 9)}**"${token.slice(0, 9)}\n`, `${'*'.repeat(11)}"*********\n`],
    ['escaped', percent(token.slice(0, 10)), '*'.repeat(30)],
    ['before an escape', String.raw`${token.slice(0, 10)}\n${token.slice(0, 10)}&quot;`, String.raw`**********\n**********&quot;`],
    ['in base64', `${Buffer.from(token).toString('base64').slice(0, 14)}…`, `${'*'.repeat(14)}\xe2\x80\xa6`],
    ['in hexadecimal', Buffer.from(token).toString('hex').slice(0, 20), '*'.repeat(20)],
    ['most of it, before other letters', `${token.slice(0, 30)}ZZZ`, `${'*'.repeat(30)}ZZZ`],
  ])('finds the start of a truncated secret: %s', (_, text, expected) => {
    expect(redacted(text, token)).toBe(expected);
  }); // biome-ignore format: a table

  test('finds the start of a secret after words that also begin other texts, with four more characters', () => {
    const begun = 'https://hooks.example/services/T0aB';
    expect(redacted(`${begun}... ${begun.slice(0, -1)}...`, link)).toBe(
      `${'*'.repeat(begun.length)}... ${begun.slice(0, -1)}...`,
    );
  });

  test('never splits a character at the end of a truncated secret', () => {
    expect(redacted('aB3dE5gHé aB3dE5gHè', 'aB3dE5gHé0123456')).toBe(`${'*'.repeat(10)} ********\xc3\xa8`);
  });
});

const html = (value: string): string => value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
const asField = (value: string): string => new URLSearchParams({ a: value }).toString().slice(2);
const asIs = (value: string): string => value;

test.each([
  ['of four characters or more', 4, [asIs, json, (value: string) => json(json(value)), encodeURIComponent]],
  [
    'of sixteen characters or more',
    16,
    [
      percent,
      unicode,
      html,
      asField,
      (value: string) => html(html(value)),
      (value: string) => encodeURIComponent(encodeURIComponent(value)),
      (value: string) => json(value).replaceAll('/', String.raw`\/`),
    ],
  ],
])('finds a secret %s in every way to write it, with any surroundings', (_, minLength, ways) => {
  // Characters of escapes, and characters that often follow them.
  const unit = fc.oneof(fc.constantFrom(...'\\%&25n;ux'), fc.string({ minLength: 1, maxLength: 1 }));
  const value = fc
    .string({ minLength, maxLength: 40, unit })
    .filter((of) => minLength < 8 || /\w{4}/.test(of));
  const beginsEscape = /(?:%[0-9a-f]?|\\[ux]?[0-9a-f]*|&[#\w;]*)$/i;
  fc.assert(
    fc.property(value, fc.constantFrom(...ways), fc.string(), fc.string(), (of, way, start, end) => {
      fc.pre(way === asIs || !beginsEscape.test(start));
      const form = way(of);
      // The form may contain asterisks.
      expect(redacted(`${start}${form}${end}`, of).replaceAll('*', '\n')).not.toContain(form);
    }),
    { numRuns: 3000 },
  );
});
