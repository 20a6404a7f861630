import { stemmer } from 'stemmer';

/** No real word is longer. */
const wordCharactersMax = 40;

/**
 * Splits a text into normalized words: lower case, Latin and Cyrillic letters without accents, English words as
 * their stems. Scripts that have no blanks between words, and Korean, whose words have endings, give pairs of letters.
 */
export function searchWords(text: string): string[] {
  const letters = text.replace(between, ' ').toLowerCase();
  // The usual text, for which the general expression takes much longer.
  if (ascii.test(letters)) return (letters.match(/[a-z0-9]+/g) ?? []).map(compared);
  const runs = letters.normalize('NFKC').match(run) ?? [];
  return runs.flatMap((found) => (unspaced.test(found) ? pairs(found) : [compared(found)]));
}

const between = /[^\p{L}\p{N}\p{M}]+/gu;
const ascii = /^[\0-\x7F]*$/;
const unspacedLetter =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー]';
const unspaced = new RegExp(`^${unspacedLetter}`, 'u');
const run = new RegExp(`${unspacedLetter}+|(?:(?!${unspacedLetter})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

function pairs(letters: string): string[] {
  const each = Array.from(letters);
  return each.length === 1 ? each : each.slice(1).map((letter, at) => `${each[at]}${letter}`);
}

function compared(word: string): string {
  const plain = /^[a-z0-9]+$/.test(word) ? word : word.normalize('NFD').replace(/[\u0300-\u036F]/g, '');
  if (!/^[a-z]+$/.test(plain)) return plain.slice(0, wordCharactersMax);
  // British and American spelling: organise, organize.
  const spelled = plain.replace(/is(?=(?:e[drs]?|ing|ations?)$)/, 'iz');
  return stemmer(spelled.slice(0, wordCharactersMax));
}
