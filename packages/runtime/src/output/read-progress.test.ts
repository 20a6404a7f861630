// Threat model: T282

import { expect, test } from 'vitest';
import { logText } from './progress-lines.ts';
import { readProgress } from './read-progress.ts';

test.each([
  ['::progress 40/100 words', 40, 100, 'words'],
  ['::progress 7', 7, undefined, undefined],
  ['::progress 0/0', 0, 0, undefined],
  ['::progress 1.5/2.25 MiB of a b', 1.5, 2.25, 'MiB of a b'],
  ['::progress 55% unpacking\r', 55, 100, 'unpacking'],
  ['::progress 3/2 more than was thought', 3, 2, 'more than was thought'],
  [`::progress 1 ${'😀'.repeat(300)}`, 1, undefined, '😀'.repeat(200)],
])('reads %s as progress', (line, done, total, message) => {
  expect(readProgress(line)).toEqual({ kind: 'progress', done, total, message });
});

test.each([
  '::progress',
  '::progress ',
  '::progress NaN/100',
  '::progress Infinity',
  '::progress 1e999/2',
  `::progress ${'9'.repeat(400)}`,
  '::progress -1/2',
  '::progress 1/',
  '::progress half of it',
  ' ::progress 1/2',
  `::progress 1 ${'x'.repeat(1000)}`,
])('does not read %s as progress and leaves it in the log', async (line) => {
  expect(readProgress(line)).toBeUndefined();
  expect(await logText(Buffer.from(`${line}\n`))).toBe(`${line}\n`);
});

test('removes progress lines from the log', async () => {
  const written = 'one\n::progress 1/2\ntwo ::progress 1/2\n\n::progress 2/2\nthree';
  expect(await logText(Buffer.from(written))).toBe('one\ntwo ::progress 1/2\n\nthree');
  expect(await logText(Buffer.from('::progress 1/2'))).toBe('');
});
