import { expect, test } from 'vitest';
import { visiblePieces, visibleText } from './visible.ts';

test('names characters that cannot be seen, and leaves the rest unchanged', () => {
  expect(visiblePieces('a\u202Eb\u001B[31mc\u200B\u200B')).toEqual([
    { text: 'a', isHidden: false },
    { text: 'U+202E', isHidden: true },
    { text: 'b', isHidden: false },
    { text: 'U+001B', isHidden: true },
    { text: '[31mc', isHidden: false },
    { text: 'U+200B U+200B', isHidden: true },
  ]);
  expect(visibleText('a\u202Eb')).toBe('aU+202Eb');
});

test.each(['', 'plain', 'two\nlines\tand a tab', 'Größe 👩‍💻', 'فارسی می‌خواهم'])('shows %j whole', (text) => {
  expect(visiblePieces(text)).toEqual(text === '' ? [] : [{ text, isHidden: false }]);
});
