// Threat model: T214

import { expect, test } from 'vitest';
import { readProgress } from '../../output/read-progress.ts';
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
])('%j is written as a progress line that parses', (progress, line) => {
  expect(progressLine(progress)).toBe(line);
  expect(readProgress(line)).toMatchObject({ kind: 'progress' });
});

test.each([
  [undefined, /done is not a number from 0 to 999999999999999/],
  [{}, /done is not a number/],
  [{ done: Number.NaN }, /done is not a number/],
  [{ done: -1 }, /done is not a number/],
  [{ done: 1e15 }, /done is not a number/],
  [{ done: '1' }, /done is not a number/],
  [{ done: 1, total: Number.POSITIVE_INFINITY }, /total is not a number/],
  [{ done: 1, message: 5 }, /message is not a string/],
])('invalid progress %j is refused with a reason', (progress, why) => {
  expect(() => progressLine(progress)).toThrow(why);
});

test('of a flood of reports, twenty are written immediately, then twenty a second, and always the latest', () => {
  let now = 0;
  const lines: string[] = [];
  const progress = progressEmitter({ info: (line: string) => lines.push(line) }, () => now);
  for (let done = 1; done <= 1000; done++) progress.emit({ done });
  expect(lines.length).toBe(20);
  now = 1000;
  for (let done = 1001; done <= 2000; done++) progress.emit({ done });
  expect(lines.length).toBe(40);
  progress.flush();
  progress.flush();
  expect(lines.slice(40)).toEqual(['::progress 2000']);
});
