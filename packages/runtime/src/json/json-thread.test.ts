// Threat model: T281, T282, T285

import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { JsonText } from '@ambit/core/json';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type JsonThread, jsonThread } from './json-thread.ts';

const large = { list: Array.from({ length: 30_000 }, (_, index) => ({ [`k${index}`]: 'ä"\\' })) };

function openThread(): JsonThread {
  const json = jsonThread();
  onTestFinished(() => json.close());
  return json;
}

/** The text of a JsonText, whose digest must be correct. */
function textOf({ bytes, sha256 }: JsonText): string {
  expect(sha256).toBe(hash('sha256', bytes));
  return Buffer.from(bytes).toString();
}

test('returns a small output as a value and a large one as its text on one line', async () => {
  const json = openThread();
  expect(await json.readOutput(Buffer.from('{"a":[1]}'))).toEqual({ value: { a: [1] } });
  const read = await json.readOutput(Buffer.from(JSON.stringify(large, null, 2)));
  const { value } = read as { value: JsonText };
  expect(value).toBeInstanceOf(JsonText);
  expect(textOf(value)).toBe(JSON.stringify(large));
});

const many = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;

test.each([
  ['the maximum number of values', many(250_000), undefined],
  ['one value more', many(250_001), 'has more than 250000 values'],
  ['512 levels', '['.repeat(512) + ']'.repeat(512), undefined],
  ['one level more', '['.repeat(513) + ']'.repeat(513), 'is nested more than 512 levels deep'],
  ['the largest number', '[1e308]', undefined],
  ['a number beyond the range of doubles', '[{"a":1e400}]', 'has a number that is not finite, at /0/a'],
  ['only such a number', '-1e400', 'has a number that is not finite, at the top level'],
  ['a second value', '1 2', 'is not JSON'],
  ['an invalid byte', '"\xff"', 'is not UTF-8'],
])('judges an output with %s the same at any size', async (_, text, problem) => {
  const json = openThread();
  // Spaces make it large without changing its content.
  for (const padded of [text, text + ' '.repeat(40_000)]) {
    const read = await json.readOutput(Buffer.from(padded, 'latin1'));
    // The quoted beginning of an invalid output differs here.
    expect('problem' in read ? read.problem.split(';')[0] : undefined).toBe(problem);
  }
});

test.each([
  ['short', 10],
  ['long', 20_000],
])('turns a %s text into a JSON string and back', async (_, times) => {
  const json = openThread();
  const text = `\ufeff${'"ä\\\u0001'.repeat(times)}`;
  const { value } = (await json.readText(Buffer.from(text))) as { value: string | JsonText };
  expect(JSON.stringify(value)).toBe(JSON.stringify(text));
  const string = await json.write(text);
  // Twice: the buffer is not transferred.
  expect(Buffer.from(await json.stringBytes(string)).toString()).toBe(text);
  expect(Buffer.from(await json.stringBytes(string)).toString()).toBe(text);
});

test('uses the last of two values for a duplicate key in an output of any size', async () => {
  const json = openThread();
  for (const padded of ['', ' '.repeat(40_000)]) {
    const { value } = (await json.readOutput(Buffer.from(`{"a":1,${padded}"a":2}`))) as { value: unknown };
    expect(JSON.stringify(value)).toBe('{"a":2}');
  }
});

test('returns the large inputs of a body as texts in their places', async () => {
  const json = openThread();
  const body = {
    calls: [
      { skill: 'a', input: large },
      { skill: 'b', input: [1] },
    ],
    input: large,
  };
  const { value } = (await json.readBody(Buffer.from(JSON.stringify(body)))) as { value: typeof body };
  expect(JSON.stringify(value)).toBe(JSON.stringify(body));
  expect([value.input, value.calls[0]?.input].map((input) => input instanceof JsonText)).toEqual([
    true,
    true,
  ]);
  expect(value.calls[1]?.input).toEqual([1]);
});

test('writes any value with its texts in their places', async () => {
  const json = openThread();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.nat(100_000), async (value, inner, characters) => {
      const text = await json.write(inner);
      const filled = { a: [value, text], b: 'é'.repeat(characters), c: undefined, 1: text };
      expect(textOf(await json.write(filled))).toBe(
        JSON.stringify({ ...filled, a: [value, inner], 1: inner }),
      );
    }),
    { numRuns: 50 },
  );
});

test('returns a file as text if JSON can hold it compactly, else as base64', async () => {
  const json = openThread();
  for (const times of [1, 100_000]) {
    const [text, bytes] = [Buffer.from('ä\n'.repeat(times)), Buffer.alloc(times, 0xff)];
    const written = [await json.fileContent(Buffer.from(text)), await json.fileContent(Buffer.from(bytes))];
    expect(JSON.parse(JSON.stringify(written))).toEqual([
      { key: 'text', value: text.toString() },
      { key: 'base64', value: bytes.toString('base64') },
    ]);
  }
});

test('answers requests during other work in turn, and stops after close', async () => {
  const json = openThread();
  const texts = Array.from({ length: 8 }, (_, index) => JSON.stringify([large, index]));
  const read = texts.map((text) => json.readOutput(Buffer.from(text)));
  await json.close();
  expect((await Promise.all(read)).map((each) => JSON.stringify(each))).toEqual(
    texts.map((text) => `{"value":${text}}`),
  );
});

test('does not keep the process alive', async () => {
  const program = `
    import { jsonThread } from ${JSON.stringify(new URL('./json-thread.ts', import.meta.url).href)};
    const { bytes } = await jsonThread().write('a'.repeat(100_000));
    console.log(bytes.length);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-warnings',
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(stdout).toBe('100002\n');
});
