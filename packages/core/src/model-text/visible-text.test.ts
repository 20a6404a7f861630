// Threat model: T120

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anySeenText, anyText } from '../testing/arbitrary-text.ts';
import { hiddenCharacters, markHidden, visibleText } from './visible-text.ts';

test.each([
  ['zero-width characters', 'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFF', 'abcde'],
  ['soft hyphens', 'co\u00ADop', 'coop'],
  ['bidirectional controls', 'a\u202Eb\u2066c\u2069\u200F', 'abc'],
  ['tag characters', 'a\u{E0049}\u{E0067}\u{E007F}b', 'ab'],
  ['a flag with a message in it', '🏴\u{E0049}\u{E0067}\u{E007F}', '🏴'],
  ['variation selectors on letters', 'a\uFE0Fb\u{E0100}c\u{E01EF}', 'abc'],
  ['more than one variation selector on an emoji', '😀\uFE0F\uFE0E\u{E0120}', '😀\uFE0F'],
  ['joiners that join nothing', 'می\u200C\u200C\u200Dخ 👩\u200D a', 'می\u200Cخ 👩 a'],
  ['a joiner after a hidden character', 'م\u061C\u200Cخ', 'مخ'],
  ['Mongolian selectors in a row', 'ᠭ\u180B\u180C\u180D', 'ᠭ\u180B'],
  ['fillers', 'a\u3164b\u115Fc\uFFA0', 'abc'],
  ['control characters', '\u001B[31mred\u0007\u0000\u009B', '[31mred'],
  ['interlinear annotations', 'a\uFFF9b\uFFFAc\uFFFB', 'abc'],
])('%s are removed', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected);
  expect(hiddenCharacters(text)).toBe(text.length - expected.length);
});

test('marks each hidden character that a reader should notice, and keeps the ones a script needs', () => {
  expect(markHidden('a\u200B\u{E0049}b\u001B\f👩\u200D💻\u200D\tc\n')).toBe(
    'a\uFFFD\uFFFDb\uFFFD\uFFFD👩\u200D💻\uFFFD\tc\n',
  );
});

test('turns control characters for page and line breaks into line feeds', () => {
  expect(visibleText('a\fb\vc\u0085d\r\n\te')).toBe('a\nb\nc\nd\r\n\te');
});

test.each([
  'می‌خواهم', 'نمی‌شود', 'क्‍ष क्‌ष', 'ශ්‍රී', 'ന്‍', 'שָׁלוֹם', 'مُحَمَّد', 'ᠮᠣᠩᠭᠣᠯ᠋', '葛城', 'co-op', 'naïve', 'Zürich',
  '👩‍👩‍👧‍👦', '👩🏽‍💻', '❤️‍🔥', '🏴‍☠️', '1️⃣ #️⃣', '☎️ ☎︎', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🇩🇪', '\u2028', '\u00A0',
])('honest text is unchanged: %s', (text) => {
  expect([visibleText(text), hiddenCharacters(text)]).toEqual([text, 0]);
}); // biome-ignore format: one a line would be a page

test('text without hidden characters is unchanged, and a second pass changes nothing', () => {
  fc.assert(
    fc.property(anySeenText, (text) => {
      expect(visibleText(text)).toBe(text.toWellFormed());
    }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      expect(visibleText(visibleText(text))).toBe(visibleText(text));
    }),
  );
});
