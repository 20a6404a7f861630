import { expect, test } from 'vitest';
import { readProgress } from '../../live/read-progress.ts';
import { progressEmitter } from './progress-emitter.mjs';
import { progressLine } from './progress-line.mjs';

test.each([
  [{ done: 40, total: 100, message: 'words' }, '::progress 40/100 words'],
  [{ done: 0 }, '::progress 0'],
  [{ done: 7, total: null, message: null }, '::progress 7'],
  [{ done: 1e-7, total: 0.1 + 0.2 }, '::progress 0/0.3'],
  [{ done: 999_999_999_999_999, total: 1 }, '::progress 999999999999999/1'],
  [{ done: 1, message: ' two\n  lines\r ' }, '::progress 1 two lines'],
  [{ done: 1, message: '::progress 2' }, '::progress 1 ::progress 2'],
  [{ done: 1, message: '😀'.repeat(300) }, `::progress 1 ${'😀'.repeat(200)}`],
])('%j is a line that is read as such', (told, line) => {
  expect(progressLine(told)).toBe(line);
  expect(readProgress(line)).toMatchObject({ kind: 'progress' });
});

test.each([
  [undefined, /done is no number from 0 to 999999999999999/],
  [{}, /done is no number/],
  [{ done: Number.NaN }, /done is no number/],
  [{ done: -1 }, /done is no number/],
  [{ done: 1e15 }, /done is no number/],
  [{ done: '1' }, /done is no number/],
  [{ done: 1, total: Number.POSITIVE_INFINITY }, /total is no number/],
  [{ done: 1, message: 5 }, /message is no text/],
])('%j cannot be told, and why is said', (told, why) => {
  expect(() => progressLine(told)).toThrow(why);
});

test('of a flood twenty are told at once and twenty a second, and the latest in any case', () => {
  let now = 0;
  const lines: string[] = [];
  const progress = progressEmitter({ info: (line: string) => lines.push(line) }, () => now);
  for (let done = 1; done <= 1000; done++) progress.tell({ done });
  expect(lines.length).toBe(20);
  now = 1000;
  for (let done = 1001; done <= 2000; done++) progress.tell({ done });
  expect(lines.length).toBe(40);
  progress.flush();
  progress.flush();
  expect(lines.slice(40)).toEqual(['::progress 2000']);
});
