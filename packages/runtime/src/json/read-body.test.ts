// Threat model: T280, T281

import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { findFlaw } from './json-flaw.ts';
import { readBody, readLargeBody } from './read-body.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const valueIn = (text: string): unknown => (readBody(bytes(text)) as { value?: unknown }).value;

describe('a valid body', () => {
  test.each([
    ['null', null],
    [' \t\r\n-0.5e+3 ', -500],
    ['"\\u00e9 \\ud83e\\udd8a ☃ \\/ \\b"', 'é 🦊 ☃ / \b'],
    ['{"a":[],"b":{},"":[{"a":1},{"a":2}]}', { a: [], b: {}, '': [{ a: 1 }, { a: 2 }] }],
    ['\ufeff{}', {}],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ])('reads the body %j', (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });

  test('reads a body that is 200 levels deep', () => {
    const text = '['.repeat(200) + ']'.repeat(200);
    expect(JSON.stringify(valueIn(text))).toBe(text);
  });

  test('reads a body with 250,000 values, including the array that holds them', () => {
    const text = `[${'0,'.repeat(249_998)}0]`;
    expect(readBody(bytes(text))).toEqual({
      value: new Array(249_999).fill(0),
      memoryBytes: 2 * text.length + 200 * 250_000,
    });
  });
});

describe('an invalid body', () => {
  test.each([
    ['', 'unexpected end at line 1, column 1'],
    ['   ', 'unexpected end at line 1, column 4'],
    ['{"a":1', 'unexpected end at line 1, column 7'],
    ['"abc', 'unexpected end at line 1, column 5'],
    ['{"a"', 'unexpected end at line 1, column 5'],
    ['{} {}', 'unexpected content after the end at line 1, column 4'],
    ['01', 'unexpected content after the end at line 1, column 2'],
    ['[1,]', 'expected a value at line 1, column 4'],
    ['[,1]', 'expected a value at line 1, column 2'],
    ['[1 2]', 'expected a comma or ] at line 1, column 4'],
    ['[1}', 'expected a comma or ] at line 1, column 3'],
    ['{"a":1]', 'expected a comma or } at line 1, column 7'],
    ['{"a":1,}', 'expected a key in double quotes at line 1, column 8'],
    ["{'a':1}", 'expected a key in double quotes at line 1, column 2'],
    ['{"a" 1}', 'expected a colon at line 1, column 6'],
    ['{"a":\n  nul}', 'expected a value at line 2, column 3'],
    ['+1', 'expected a value at line 1, column 1'],
    ['NaN', 'expected a value at line 1, column 1'],
    ['// no', 'expected a value at line 1, column 1'],
    ['"a\nb"', 'a control character inside a string at line 1, column 3'],
    ['"\\x41"', 'an invalid escape at line 1, column 2'],
    ['"\\u12"', 'an invalid escape at line 1, column 2'],
    ['{"a":1,"b":2,"a":3}', 'a duplicate key at line 1, column 14'],
    ['{"a":1,"\\u0061":3}', 'a duplicate key at line 1, column 8'],
    ['{"__proto__":1}', 'the key "__proto__" is not accepted at line 1, column 2'],
    ['[{"\\u005f_proto__":1}]', 'the key "__proto__" is not accepted at line 1, column 3'],
    [`[${'0,'.repeat(250_000)}0]`, 'more than 250000 values at line 1, column 500000'],
    ['['.repeat(100_000), 'more than 200 levels deep at line 1, column 201'],
    ['{"a":'.repeat(100_000), 'more than 200 levels deep at line 1, column 1001'],
  ])('refuses the body %.20j and names the position of its error', (text, where) => {
    expect(readBody(bytes(text))).toEqual({ problem: `is not valid JSON: ${where}` });
  });

  test.each([
    ['an invalid byte', [0x22, 0xff, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses a body whose bytes are not UTF-8: %s', (_, sequence) => {
    expect(readBody(Uint8Array.from(sequence))).toEqual({
      problem: 'is not UTF-8, which JSON requires',
    });
  });
});

test('finds a flaw in exactly the texts that JSON.parse refuses', () => {
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const pieces = fc.constantFrom(...'{}[],:"1-0 \n\\', '"a"', '"b"', '.5', 'e3', 'true', 'null', '\\u0041');
  const documents = fc.json({ maxDepth: 4 });
  // A document with one character replaced, which is almost JSON.
  const almost = fc
    .tuple(documents, fc.nat(), fc.constantFrom('', '"', ',', '}', '0', ' '))
    .map(([text, at, piece]) => text.slice(0, at % text.length) + piece + text.slice((at % text.length) + 1));
  fc.assert(
    fc.property(
      fc.oneof(
        documents,
        almost,
        fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const flaw = findFlaw(text, { depthMax: 200 });
        fc.pre(!/duplicate|__proto__/.test(flaw?.problem ?? ''));
        return (flaw === undefined) === parses(text);
      },
    ),
    { numRuns: isWhole ? 5000 : 500 },
  );
});

describe('a large body', () => {
  const large = Array.from({ length: 20_000 }, (_, index) => index);
  const read = (body: unknown) => readLargeBody(bytes(JSON.stringify(body)));
  const inputsOf = (body: unknown) => {
    const { inputs = [] } = read(body) as { inputs?: { index?: number; bytes: Uint8Array }[] };
    return inputs.map(({ index, bytes: text }) => [index, new TextDecoder().decode(text)]);
  };

  test('has its large inputs as text, also the inputs of its calls, and small ones in place', () => {
    expect(inputsOf({ input: large, stdin: 'a' })).toEqual([[undefined, JSON.stringify(large)]]);
    expect(inputsOf({ calls: [{ input: 1 }, { input: large }, {}] })).toEqual([[1, JSON.stringify(large)]]);
    expect(read({ input: large, a: { input: large.slice(0, 9) } })).toMatchObject({
      value: { input: null, a: { input: large.slice(0, 9) } },
    });
  });

  test('has a digest for each text and counts the memory of the rest', () => {
    const text = JSON.stringify(large);
    expect(read({ input: large })).toEqual({
      value: { input: null },
      memoryBytes: 2 * (text.length + '{"input":}'.length) + 200 * 2,
      inputs: [{ bytes: bytes(text), sha256: hash('sha256', text) }],
    });
  });

  test('is refused for a number in an input that is not finite and for more than 25,000 values outside inputs', () => {
    const infinite = `[${large.join()},{"a/b~":-1e400}]`;
    expect(readLargeBody(bytes(`{"calls":[{},{"input":${infinite}}]}`))).toEqual({
      notFiniteAt: '/calls/1/input/20000/a~1b~0',
    });
    const args = (values: number) => ({ input: large, args: new Array(values - 3).fill('a') });
    expect(read(args(25_000))).toMatchObject({ value: { input: null } });
    expect(read(args(25_001))).toEqual({
      problem: 'is too large: it has more than 25000 values outside of "input"',
    });
  });
});
