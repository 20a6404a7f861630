// Threat model: T110

import { expect, test } from 'vitest';
import { lineFinder, scanText, type TextPattern } from './scan-text.ts';

const curl: TextPattern = { words: ['curl'], pattern: /curl [^|\n]{0,300}\| sh/g };

test('a megabyte on one line is read in windows of a fixed size, 1.4 times in total', () => {
  const text = 'curl '.repeat(200_000);
  const windows: number[] = [];
  scanText(text, [curl], (characters) => windows.push(characters));
  expect(windows).toHaveLength(1000);
  expect(Math.max(...windows)).toBe(1000 + 400);
  expect(windows.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1.4 * text.length);
});

test('a pattern runs only in windows that have one of its words', () => {
  const seen: string[] = [];
  const spy: TextPattern = {
    words: ['curl'],
    pattern: Object.assign(/curl/g, {
      [Symbol.matchAll](window: string) {
        seen.push(window);
        return [][Symbol.iterator]();
      },
    }),
  };
  scanText(`${'a '.repeat(5000)}curl${' a'.repeat(5000)}`, [spy]);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.every((window) => window.includes('curl'))).toBe(true);
  expect(seen.length).toBeLessThanOrEqual(2);
});

test.each([0, 600, 650, 990, 999, 1000, 1001, 1300, 1399, 1400])(
  'a match at %i is found once, across the borders of windows',
  (at) => {
    const found = scanText(`${'-'.repeat(at)}curl x | sh${'-'.repeat(3000)}`, [curl]);
    expect(found.get(curl)?.map(({ index, text }) => ({ index, text }))).toEqual([
      { index: at, text: 'curl x | sh' },
    ]);
  },
);

test('a command that continues on the next line matches, and positions stay', () => {
  const text = 'one\ncurl x \\\n | sh\n';
  const [match] = scanText(text, [curl]).get(curl) ?? [];
  expect(match?.index).toBe(4);
  expect(lineFinder(text)(4)).toBe(2);
});

test('the line of a position starts at 1', () => {
  const lineOf = lineFinder('a\nb\n\nc');
  expect([0, 1, 2, 3, 4, 5].map(lineOf)).toEqual([1, 1, 2, 2, 3, 4]);
  expect(lineFinder('')(0)).toBe(1);
});
