// Threat model: T206, T255

import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { anchors } from './find/anchors.ts';
import { matchedBytesMin, needlesOf } from './find/needles.ts';
import { type SecretRedactor, secretRedactor } from './secret-redactor.ts';

// Assembled here, so secret scanners do not report this file.
const prefixes = [
  ...[
    '',
    'gh#p_',
    'github#_pat_',
    'xo#xb-123456789012-',
    'AK#IA',
    'glp#at-',
    'np#m_',
    'sk#-',
    'sk#-ant-api03-',
  ],
  ...['am#bit_', 'Bearer ', 'application-key-', 'https://hooks.example/services/'],
].map((text) => text.replace('#', ''));

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bodyOf = (characters: string) => (size: { minLength: number; maxLength: number }) =>
  fc.string({ ...size, unit: fc.constantFrom(...characters) });
/** Random parts. The last kind has characters that end a token. */
const bodies = [base62, `${base62}-`, '0123456789abcdef', '0123456789', `${base62}+/."&% é`].map(bodyOf);

/** A guess of the same length and kinds of characters: every letter and digit is another one. */
const wrong = (guess: string): string =>
  guess
    .replace(/[0-9]/g, (digit) => '1234567890'[Number(digit)] ?? '')
    .replace(/[a-z]/gi, (letter) => {
      const code = letter.toLowerCase().charCodeAt(0) - 97;
      const next = String.fromCharCode(97 + ((code + 1) % 26));
      return letter < 'a' ? next.toUpperCase() : next;
    });

const json = (value: string): string => JSON.stringify(value).slice(1, -1);
const bytesOf = (value: string): string[] =>
  [...Buffer.from(value)].map((byte) => byte.toString(16).padStart(2, '0'));
const base64 = (before: number) => (value: string) =>
  Buffer.from(`${'?'.repeat(before)}${value}`)
    .toString('base64')
    .replace(/=+$/, '');
const inLines = (text: string): string => text.replace(/.{40}(?=.)/g, '$&\r\n  ');

/** Ways to write a text. The forms of two texts of the same kinds of characters have the same length. */
const forms: Record<string, (value: string) => string> = {
  unchanged: (value) => value,
  'upper case': (value) => value.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  'lower case': (value) => value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  JSON: json,
  'JSON in JSON': (value) => json(json(value)),
  'JSON escapes': (value) =>
    [...value].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'percent-encoding': encodeURIComponent,
  'percent-encoding of every byte': (value) =>
    bytesOf(value)
      .map((byte) => `%${byte}`)
      .join(''),
  'percent-encoding twice': (value) =>
    bytesOf(value)
      .map((byte) => `%25${byte}`)
      .join(''),
  'HTML entities': (value) => [...value].map((letter) => `&#x${letter.charCodeAt(0).toString(16)};`).join(''),
  'a form field': (value) => new URLSearchParams({ a: value }).toString().slice(2),
  hexadecimal: (value) => bytesOf(value).join(''),
  'hexadecimal in capitals': (value) => bytesOf(value).join('').toUpperCase(),
  'hexadecimal at an odd place': (value) => `a${bytesOf(value).join('')}b`,
  'hexadecimal in lines': (value) => inLines(`${'3f'.repeat(30)}${bytesOf(value).join('')}`),
  base64: base64(0),
  'base64 after a byte': base64(1),
  'base64 after two bytes': base64(2),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64 in lines': (value) => inLines(base64(40)(value)),
  'base64 in lines in JSON': (value) => json(inLines(base64(40)(value))),
};

/** The parts that a stream emits for pieces of these lengths, and what is left at the end or at a cut. */
function inPieces(
  redactor: SecretRedactor,
  text: Buffer,
  lengths: readonly number[],
  end: 'rest' | 'cut',
): Buffer[] {
  const stream = redactor.pieces();
  const parts: Buffer[] = [];
  let at = 0;
  for (const length of [...lengths, text.length]) {
    parts.push(Buffer.from(stream.take(text.subarray(at, at + length))));
    at += length;
  }
  return [...parts, Buffer.from(stream[end]())];
}

const before = fc.constantFrom(
  ...['', ' ', '"', '{"a":"', 'zz', 'zz=', '/', '\n', '…', 'a\nb', 'YWFh', '3f'],
);
/** Text that does not continue a guess. */
const after = fc.constantFrom('', ' ', '"', '"}', '\n', '"\nb', '…', ', x', ': x', '<', '\\n', '%0a');
const pieceLengths = fc.array(fc.nat(60), { maxLength: 6 });
const form = fc.constantFrom(...Object.keys(forms));
let cases = 0;
afterAll(() => {
  if (process.env['PRINT_CASES'] !== undefined) process.stderr.write(`guesses: ${cases} cases\n`);
});

describe('a guess below the minimum', () => {
  const size = { minLength: 16, maxLength: 60 };
  const secrets = fc
    .tuple(fc.constantFrom(...prefixes), fc.oneof(...bodies.map((body) => body(size))))
    .map(([prefix, body]) => ({ prefix, body }));
  /** Right guesses of up to 15 bytes beyond the prefix; some continue with a character that differs in its last bits. */
  const guesses = fc.tuple(secrets, fc.nat(15), fc.constantFrom(0, 1, 2, 3)).map(([secret, count, bits]) => {
    const { prefix, body } = secret;
    let right = '';
    for (const character of body) {
      if (Buffer.byteLength(right + character) > count) break;
      right += character;
    }
    const next = body.charCodeAt(right.length);
    const almost = bits === 0 || next > 0x7b || next < 0x30 ? '' : String.fromCharCode(next ^ bits);
    return { values: [`${prefix}${body}`], right: [prefix, right, almost], known: prefix };
  });
  const passwords = fc.tuple(bodyOf(base62)(size), fc.nat(15)).map(([body, count]) => ({
    values: [`postgres://app:${body}@db.example:5432/x`],
    known: 'postgres://app:',
    right: ['postgres://app:', body.slice(0, count), ''],
  }));
  /** Right guesses of the whole. */
  const short = fc
    .tuple(
      fc.constantFrom(...prefixes.filter((text) => /^(?:gh|am|np|AK|Be)/.test(text)), ''),
      bodyOf(base62)({ minLength: 1, maxLength: 15 }),
    )
    .map(([prefix, body]) => ({
      values: [`${prefix}${body}`, `https://u:${body}@h/`],
      right: [prefix, body, ''],
      known: prefix,
    }));

  test('has the result of a wrong guess, in every form and place', () => {
    fc.assert(
      fc.property(
        fc.oneof({ weight: 6, arbitrary: guesses }, passwords, short),
        form, before, after, pieceLengths, fc.nat(6),
        ({ values, right: [prefix = '', right = '', almost = ''] }, name, start, end, lengths, cutOff) => {
          const write = forms[name] ?? String;
          // The end of the text, or what is left of a cut escape, must not continue the guess by chance.
          const next = values[0]?.slice(`${prefix}${right}`.length).charAt(0).toLowerCase() ?? '';
          fc.pre(next === '' || !`${end}ux\\%&`.toLowerCase().includes(next));
          const redactor = secretRedactor(values);
          const textOf = (guess: string): Buffer => {
            const written = write(`${prefix}${guess}`);
            return Buffer.from(`${start}${cutOff > 3 ? written.slice(0, 3 - cutOff) : written}${end}`);
          };
          const [rightText, wrongText] = [textOf(right + almost), textOf(wrong(right) + almost)];
          expect(wrongText.length).toBe(rightText.length);
          for (const text of [rightText, wrongText]) {
            expect(redactor.text(text.toString())).toBe(text.toString());
            expect(Buffer.from(redactor.bytes(text)).equals(text)).toBe(true);
            expect(redactor.header(text.toString('latin1'))).toBe(text.toString('latin1'));
          }
          for (const ending of ['rest', 'cut'] as const) {
            const [ofRight, ofWrong] = [rightText, wrongText].map((text) => inPieces(redactor, text, lengths, ending));
            expect(ofRight?.map(({ length }) => length)).toEqual(ofWrong?.map(({ length }) => length));
            const shown = Buffer.concat(ofRight ?? []);
            expect(shown.equals(rightText.subarray(0, ending === 'rest' ? rightText.length : shown.length))).toBe(true);
          }
          expect(redactor.redactions()).toBe(0);
          cases++;
        },
      ),
      { numRuns: isWhole ? 10_000 : 1000 },
    ); // biome-ignore format: a list of arguments
  });
});

test('a whole secret, and a beginning at or above the minimum, is hidden in every form and place, and the rest is not', () => {
  const size = { minLength: 16, maxLength: 60 };
  const beginnings = fc
    .tuple(
      fc.constantFrom(...prefixes),
      fc.oneof(...bodies.slice(0, 3).map((body) => body(size))),
      fc.integer({ min: 16, max: 60 }),
    )
    // The words before a random part must be the same in a beginning.
    .filter(([, body]) => /^[a-z]+[0-9]+[a-z]|^[0-9]+[a-z]/i.test(body))
    .map(([prefix, body, count]) => ({
      value: `${prefix}${body}`,
      shown: `${prefix}${body.slice(0, count)}`,
    }));
  const wholes = fc
    .tuple(fc.constantFrom(...prefixes), fc.oneof(...bodies.map((body) => body({ ...size, minLength: 32 }))))
    // Nothing in it looks like an escape or like the words of a URL.
    .filter(([, body]) => /^[a-z]*[0-9]{3}/i.test(body) && !/[&%](?:[0-9a-z#]|$)/i.test(body))
    .map(([prefix, body]) => ({ value: `${prefix}${body}`, shown: `${prefix}${body}` }));
  fc.assert(
    fc.property(fc.oneof(beginnings, wholes), form, pieceLengths, ({ value, shown }, name, lengths) => {
      const write = forms[name] ?? String;
      const redactor = secretRedactor([value]);
      const written = write(shown);
      const hidden = '*'.repeat(Buffer.byteLength(written));
      const around = (of: string): string => `{"a":"b c","d":"${of}","e":"f g"}\n`;
      // A public beginning may end outside of the run.
      const isHidden = (text: string): boolean => {
        const [start = '', end = ''] = around('|').split('|');
        return (
          text.length === around(hidden).length &&
          text.startsWith(start) &&
          text.endsWith(end) &&
          text.slice(start.length, -end.length) === hidden
        );
      };
      expect(redactor.bytes(Buffer.from(around(written))).toString()).toBe(around(hidden));
      expect(redactor.redactions()).toBe(1);
      const parts = inPieces(redactor, Buffer.from(around(written)), lengths, 'rest');
      expect(isHidden(Buffer.concat(parts).toString())).toBe(true);
      expect(redactor.redactions()).toBe(2);
      const cut = Buffer.concat(inPieces(redactor, Buffer.from(around(written)), lengths, 'cut'));
      expect(cut.toString()).toBe(around(hidden));
      cases++;
    }),
    { numRuns: isWhole ? 3000 : 300 },
  );
});

describe('the search for a secret, character by character', () => {
  const random = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5';
  const observed: Record<string, (redactor: SecretRedactor, text: string) => unknown> = {
    'whether a text is redacted': (redactor, text) => redactor.text(text) === text,
    'how much of it is redacted': (redactor, text) =>
      redactor.text(`${text} and more words`).replaceAll(/[^*]/g, '').length,
    'which part of a stream arrives': (redactor, text) =>
      redactor.pieces().take(Buffer.from(`go: ${text}`)).length,
    'what remains at a cut': (redactor, text) => {
      const stream = redactor.pieces();
      return stream.take(Buffer.from(`go: ${text}`)).length + stream.cut().length;
    },
    'the number of redactions': (redactor, text) => {
      const before = redactor.redactions();
      redactor.text(text);
      return redactor.redactions() - before;
    },
  };

  test.each(Object.keys(observed))('gains nothing from %s', (name) => {
    const observe = observed[name] ?? String;
    for (const [value, known] of [
      [random, ''],
      [random, random.slice(0, 4)],
      [random, random.slice(0, 20)],
      [`gh${'p_'}${random}`, 'ghp_'],
      [`gh${'p_'}${random}`, `ghp_${random.slice(0, 16)}`],
      [`https://hooks.example/T0/${random}`, 'https://hooks.example/T0/'],
      ['correct horse battery staple: yes', 'correct horse bat'],
      [`postgres://app:${random}@db.example/x`, 'postgres://app:'],
      ['postgres://app:hunter2@db.example/x', 'postgres://app:'],
      ['hunter2', ''],
    ] as const)
      for (const write of Object.values(forms))
        expect(searched(secretRedactor([value]), known, write, observe), value).toBe('');
  });

  /** Extends what is known by a character as long as one of all differs from the others. */
  function searched(
    redactor: SecretRedactor,
    known: string,
    write: (value: string) => string,
    observe: (redactor: SecretRedactor, text: string) => unknown,
  ): string {
    for (let gained = ''; ; ) {
      const seen = new Map<unknown, string[]>();
      for (const character of ` ${base62}`) {
        // Without the characters that the next byte would change.
        const result = observe(redactor, write(`${known}${gained}${character}`));
        seen.set(result, [...(seen.get(result) ?? []), character]);
      }
      // Letters are compared without case.
      const odd = [...seen.values()].find(
        (characters) => characters.length <= 2 && !characters.includes(' '),
      );
      if (odd?.[0] === undefined || gained.length > 40) return gained;
      gained += odd[0];
    }
  }
});

test('the search reads a text with a right guess as often as one with a wrong guess, so its time says nothing', () => {
  const secret = `sk_live_${'9f3c1a7e5b2d8064'.repeat(2)}`;
  const needles = needlesOf(secret).map(({ bytes }) => [bytes, secret] as const);
  const search = anchors(needles, matchedBytesMin);
  const readsOf = (guess: string): { reads: number; found: number } => {
    let [reads, found] = [0, 0];
    const bytes = new Proxy(Buffer.from(`${guess}|`.repeat(1000)), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    search(bytes, () => found++);
    return { reads, found };
  };
  for (const length of [9, 15, 16, 20, 23]) {
    const right = secret.slice(0, length);
    const other = `${right.slice(0, -1)}${wrong(right.slice(-1))}`;
    expect(readsOf(right), right).toEqual({ ...readsOf(other), found: 0 });
  }
  // The twin: the whole minimum is found in each repetition.
  expect(readsOf(secret.slice(0, 24)).found).toBe(1000);
});
