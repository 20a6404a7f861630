import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { processorMs } from '../../packages/core/src/testing/processor-ms.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isWhole } from '../support/whole.ts';
import { raw, wasmSkill } from './wasm-skill.ts';

const diff = await wasmSkill('text-diff');
const folder = await temporaryFolder({}, afterAll);

describe('the diff', () => {
  test('of equal texts is empty', async () => {
    for (const text of ['a\r\nb', ''])
      expect(await diff({ before: text, after: text })).toEqual({
        output: { diff: '', added: 0, removed: 0, hunks: 0, identical: true },
      });
  });

  test('shows a change with its context and counts its lines', async () => {
    const names = { beforeName: 'a/list.txt', afterName: 'b/list.txt' };
    expect(await diff({ before: 'one\ntwo\nthree\n', after: 'one\n2\nthree', ...names })).toEqual({
      output: {
        diff: lines(
          '--- a/list.txt',
          '+++ b/list.txt',
          '@@ -1,3 +1,3 @@',
          ' one',
          '-two',
          '-three',
          '+2',
          '+three',
          '\\ No newline at end of file',
        ),
        added: 2,
        removed: 2,
        hunks: 1,
        identical: false,
      },
    });
  });

  test.each([
    ['everything is new', '', 'x\ny\n', ['@@ -0,0 +1,2 @@', '+x', '+y']],
    ['everything is gone', 'x\n', '', ['@@ -1 +0,0 @@', '-x']],
    ['the last line feed is new', 'a', 'a\n', ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a']],
    ['the last line feed is gone', 'a\n', 'a', ['@@ -1 +1 @@', '-a', '+a', '\\ No newline at end of file']],
    [
      'no text ends with a line feed',
      'a\nz',
      'b\nz',
      ['@@ -1,2 +1,2 @@', '-a', '+b', ' z', '\\ No newline at end of file'],
    ],
    ['only the line ends differ', 'a\r\n', 'a\n', ['@@ -1 +1 @@', '-a\r', '+a']],
    ['carriage returns are kept', 'a\r\nb\r\n', 'a\r\nc\r\n', ['@@ -1,2 +1,2 @@', ' a\r', '-b\r', '+c\r']],
    [
      'a line is a lone carriage return',
      '\r',
      '\n',
      ['@@ -1 +1 @@', '-\r', '\\ No newline at end of file', '+'],
    ],
    [
      'a text has characters that JSON escapes',
      '"\\\u0000\n',
      'é🙂\ud800\n',
      ['@@ -1 +1 @@', '-"\\\u0000', '+é🙂\ud800'],
    ],
  ])('is right where %s', async (_case, before, after, body) => {
    expect(diffOf(await diff({ before, after }))).toBe(lines('--- before', '+++ after', ...body));
  });

  test('puts changes into one hunk up to twice the context apart, and into two beyond', async () => {
    const before = 'a\n1\n2\nb\n3\n4\n5\nc\n';
    const after = 'A\n1\n2\nB\n3\n4\n5\nC\n';
    expect(diffOf(await diff({ before, after, context: 1 }))).toBe(
      lines(
        '--- before',
        '+++ after',
        '@@ -1,5 +1,5 @@',
        '-a',
        '+A',
        ' 1',
        ' 2',
        '-b',
        '+B',
        ' 3',
        '@@ -7,2 +7,2 @@',
        ' 5',
        '-c',
        '+C',
      ),
    );
  });

  test('has no line but the changed ones where no context is asked for', async () => {
    expect(diffOf(await diff({ before: 'a\nb\nc\n', after: 'a\nc\nd\n', context: 0 }))).toBe(
      lines('--- before', '+++ after', '@@ -2 +1,0 @@', '-b', '@@ -3,0 +3 @@', '+d'),
    );
  });

  test('quotes a file name that could be misread', async () => {
    const answer = await diff({
      before: '',
      after: 'x\n',
      beforeName: 'a/my file',
      afterName: 'b/\n@@ "\\\u007fé',
    });
    expect(diffOf(answer)).toBe(
      lines('--- a/my file\t', '+++ "b/\\012@@ \\"\\\\\\177é"', '@@ -0,0 +1 @@', '+x'),
    );
  });
});

describe('the diff of random texts', () => {
  test('is accepted by patch and git apply', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.integer({ min: 0, max: 4 }), async ([before, after], context) => {
        const patch = diffOf(await diff({ before, after, context, beforeName: 'text', afterName: 'text' }));
        expect(await applied('patch', before, patch)).toBe(after);
        expect(await applied('git', before, patch)).toBe(after);
      }),
      { numRuns: isWhole ? 150 : 15 },
    );
  });

  test('is the shortest diff', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, async ([before, after]) => {
        const common = longestCommon(linesOf(before), linesOf(after));
        expect(await diff({ before, after })).toMatchObject({
          output: {
            removed: linesOf(before).length - common,
            added: linesOf(after).length - common,
            identical: before === after,
          },
        });
      }),
      { numRuns: isWhole ? 500 : 50 },
    );
  });
});

describe('the diff of long texts', () => {
  const numbers = Array.from({ length: 5_000 }, (_, index) => index);

  // Measured at 10 to 40 ms. A quadratic search would take minutes.
  test.each([
    ['have nothing in common', numbers.map((n) => `a${n}`), numbers.map((n) => `b${n}`)],
    ['are each other backwards', numbers, numbers.toReversed()],
    [
      'have two sorts of line in another rhythm',
      numbers.map((n) => n % 2),
      numbers.map((n) => (n % 3 ? 0 : 1)),
    ],
  ])('that %s is correct and takes less than a second of processor time', async (_case, one, two) => {
    expect(await msOfRightDiff(one, two)).toBeLessThan(1_000);
  });

  // Measured at 0.2 seconds; the exact answer takes 10.
  test('that differ too much for the exact search stops early and is correct', async () => {
    const one = Array.from({ length: 40_000 }, (_, index) => (index * 7_919) % 40_009);
    expect(await msOfRightDiff(one, one.toReversed())).toBeLessThan(4_000);
  });

  test('fits into 16 MiB at the limits of lines, input and hunks', async () => {
    const half = 50_000;
    const before = Array.from({ length: half }, (_, index) =>
      index % 2 ? 'same' : `a${'x'.repeat(70)}${index}`,
    );
    const after = Array.from({ length: half }, (_, index) =>
      index % 2 ? 'same' : `b${'y'.repeat(70)}${index}`,
    );
    const input = { before: `${before.join('\n')}\n`, after: `${after.join('\n')}\n`, context: 0 };
    expect(JSON.stringify(input).length).toBeGreaterThan(4_000_000);
    expect(await diff(input)).toMatchObject({
      output: { added: half / 2, removed: half / 2, hunks: half / 2 },
    });
  });
});

describe('text-diff refuses with a sentence', () => {
  test.each([
    ['{}', 'The input has no "before".'],
    ['{"before":""}', 'The input has no "after".'],
    ['{"before":"","after":null}', 'The value of "after" is not a string.'],
    ...['-1', '1.5', '9e9'].map((context): [string, string] => [
      `{"before":"","after":"","context":${context}}`,
      'The value of "context" is not a whole number from 0 to 100000.',
    ]),
    ['{"before":"","after":"","beforeName":""}', '"beforeName" is empty or longer than 1024 bytes.'],
    ['{"before":"","after":""', 'The input is not valid JSON (at byte 23).'],
  ])('%s', async (input, error) => {
    expect(await diff(raw(input))).toEqual({ error });
  });

  test('texts of more than 100,000 lines, and accepts 100,000', async () => {
    expect(await diff({ before: '\n'.repeat(60_000), after: '\n'.repeat(40_000) })).toMatchObject({
      output: { removed: 20_000 },
    });
    expect(await diff({ before: '\n'.repeat(60_000), after: '\n'.repeat(40_001) })).toEqual({
      error: 'The two texts have more than 100000 lines together.',
    });
  });

  test('texts of more than 4 MiB', async () => {
    expect(await diff({ before: 'x'.repeat(4 << 20), after: '' })).toEqual({
      error: 'The two texts are longer than 4 MiB together.',
    });
  });
});

const line = fc.constantFrom(
  'a\n',
  'b\n',
  'c\n',
  '\n',
  'd\r\n',
  'é🙂\n',
  '-- x\n',
  '@@ -1 +1 @@\n',
  '\\ No\n',
  '+++ y\n',
);
const text = fc.tuple(fc.array(line, { maxLength: 16 }), fc.constantFrom('', 'tail', 'a', '\r')).map(join2);
const edited = fc
  .tuple(
    fc.array(line, { minLength: 8, maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(60), fc.nat(3), line), { maxLength: 5 }),
  )
  .map(([base, edits]): [string, string] => {
    const changed = edits.reduce((now, [at, gone, fresh]) => now.toSpliced(at, gone, fresh), base);
    return [base.join(''), changed.join('')];
  });
const pairs = fc.oneof(fc.tuple(text, text), edited);

function join2([whole, tail]: [string[], string]): string {
  return whole.join('') + tail;
}

function lines(...all: string[]): string {
  return all.map((one) => `${one}\n`).join('');
}

function diffOf(answer: unknown): string {
  return (answer as { output: { diff: string } }).output.diff;
}

async function applied(tool: 'patch' | 'git', before: string, patch: string): Promise<string> {
  if (patch === '') return before;
  await writeFile(join(folder, 'text'), before);
  await writeFile(join(folder, 'change'), patch);
  const argv =
    tool === 'patch'
      ? ['--silent', '--binary', '--output=text.new', 'text', 'change']
      : ['apply', '-p0', '--unidiff-zero', '--whitespace=nowarn', 'change'];
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: folder };
  await promisify(execFile)(tool, argv, { cwd: folder, env });
  return await readFile(join(folder, tool === 'patch' ? 'text.new' : 'text'), 'utf8');
}

function linesOf(whole: string): string[] {
  return whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The processor time of a diff, after a check that it is correct. */
async function msOfRightDiff(one: readonly number[] | readonly string[], two: typeof one): Promise<number> {
  const [before, after] = [one, two].map((all) => `${all.join('\n')}\n`) as [string, string];
  let answer: unknown;
  const ms = await processorMs(async () => {
    answer = await diff({ before, after });
  });
  expect(await applied('patch', before, diffOf(answer))).toBe(after);
  return ms;
}

function longestCommon(one: string[], two: string[]): number {
  const row = Array.from({ length: two.length + 1 }, () => 0);
  for (const item of one) {
    let diagonal = 0;
    for (const [index, other] of two.entries()) {
      const above = row[index + 1] ?? 0;
      row[index + 1] = item === other ? diagonal + 1 : Math.max(above, row[index] ?? 0);
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}
