import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { JsonText } from '@ambit/core/internal';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type JsonThread, jsonThread } from './json-thread.ts';

const large = { list: Array.from({ length: 30_000 }, (_, index) => ({ [`k${index}`]: 'ä"\\' })) };

function opened(): JsonThread {
  const json = jsonThread();
  onTestFinished(() => json.close());
  return json;
}

/** As its text, whose digest has to be the right one. */
function textOf({ bytes, sha256 }: JsonText): string {
  expect(sha256).toBe(hash('sha256', bytes));
  return Buffer.from(bytes).toString();
}

test('a small output is a value, and a large one its text on one line', async () => {
  const json = opened();
  expect(await json.readOutput(Buffer.from('{"a":[1]}'))).toEqual({ value: { a: [1] } });
  const read = await json.readOutput(Buffer.from(JSON.stringify(large, null, 2)));
  const { value } = read as { value: JsonText };
  expect(value).toBeInstanceOf(JsonText);
  expect(textOf(value)).toBe(JSON.stringify(large));
});

const many = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;

test.each([
  ['as many values as it may have', many(250_000), undefined],
  ['one more', many(250_001), 'has more than 250000 values'],
  ['512 levels', '['.repeat(512) + ']'.repeat(512), undefined],
  ['one more', '['.repeat(513) + ']'.repeat(513), 'is nested more than 512 deep'],
  ['the largest number', '[1e308]', undefined],
  ['one beyond all numbers', '[{"a":1e400}]', 'has a number that is not finite, at /0/a'],
  ['one alone', '-1e400', 'has a number that is not finite, at its top'],
  ['a second value', '1 2', 'is not JSON'],
  ['a lone byte', '"\xff"', 'is not UTF-8'],
])('an output with %s is judged the same, large or small', async (_, text, problem) => {
  const json = opened();
  // Blanks make it large, and nothing else.
  for (const padded of [text, text + ' '.repeat(40_000)]) {
    const read = await json.readOutput(Buffer.from(padded, 'latin1'));
    // How an output begins that is not JSON is different here.
    expect('problem' in read ? read.problem.split(';')[0] : undefined).toBe(problem);
  }
});

test.each([
  ['short', 10],
  ['long', 20_000],
])('a %s text becomes a JSON string and is the same text again', async (_, times) => {
  const json = opened();
  const text = `\ufeff${'"ä\\\u0001'.repeat(times)}`;
  const { value } = (await json.readText(Buffer.from(text))) as { value: string | JsonText };
  expect(JSON.stringify(value)).toBe(JSON.stringify(text));
  const string = await json.write(text);
  // Twice: it is not handed over.
  expect(Buffer.from(await json.stringBytes(string)).toString()).toBe(text);
  expect(Buffer.from(await json.stringBytes(string)).toString()).toBe(text);
});

test('a text that is not UTF-8 is none, short or long', async () => {
  const json = opened();
  for (const bytes of [1, 100_000])
    expect(await json.readText(Buffer.alloc(bytes, 0xff))).toEqual({ problem: 'is not UTF-8' });
});

test('an output with two values for one key has the last of them for everybody, large or small', async () => {
  const json = opened();
  for (const padded of ['', ' '.repeat(40_000)]) {
    const { value } = (await json.readOutput(Buffer.from(`{"a":1,${padded}"a":2}`))) as { value: unknown };
    expect(JSON.stringify(value)).toBe('{"a":2}');
  }
});

test('a body has its large inputs as texts in their places', async () => {
  const json = opened();
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

test('a value is written with its texts in their places, whatever else is in it and however large it is', async () => {
  const json = opened();
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

test('a file is text where JSON can hold it so, and else base64, large or small', async () => {
  const json = opened();
  for (const times of [1, 100_000]) {
    const [text, bytes] = [Buffer.from('ä\n'.repeat(times)), Buffer.alloc(times, 0xff)];
    const written = [await json.fileContent(Buffer.from(text)), await json.fileContent(Buffer.from(bytes))];
    expect(JSON.parse(JSON.stringify(written))).toEqual([
      { key: 'text', value: text.toString() },
      { key: 'base64', value: bytes.toString('base64') },
    ]);
  }
});

test('what is asked for while the thread is busy is answered in turn, and after a close nothing runs', async () => {
  const json = opened();
  const texts = Array.from({ length: 8 }, (_, index) => JSON.stringify([large, index]));
  const read = texts.map((text) => json.readOutput(Buffer.from(text)));
  await json.close();
  expect((await Promise.all(read)).map((each) => JSON.stringify(each))).toEqual(
    texts.map((text) => `{"value":${text}}`),
  );
});

test('the thread keeps no process alive', async () => {
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
