// Threat model: T206

import { expect, test } from 'vitest';
import { publicBeginning } from '../secret-shapes.ts';
import { isMatchedByValue, matchedBytesMin, needlesOf } from './needles.ts';

const random = 'aB3dE5gH7jK9mN1p';
const header = `ey${'JhbGciOiJIUzI1NiJ9'}.`;

test.each([
  ...['', 'gh#p_', 'gh#s_', 'github#_pat_', 'glp#at-', 'AK#IA', 'AS#IA', 'xo#xb-', 'xa#pp-', 'AI#za', 'ya#29.', 'GOC#SPX-'],
  ...['sk#_live_', 'rk#_test_', 'wh#sec_', 'np#m_', 'py#pi-AgEIcHlwaS5vcmcC', 'h#f_', 'S#G.', 's#k-', 'am#bit_', 'am#bit-join-'],
  ...['Bearer ', 'Bearer gh#p_', 'https://hooks.example/services/', 'wss://x.example:8443/?key=', header, `${header}${header}`],
])('a secret needs sixteen bytes beyond %s', (marked) => {
  const beginning = marked.replace('#', '');
  expect(publicBeginning(`${beginning}${random}`)).toBe(beginning.length);
  expect(isMatchedByValue(`${beginning}${random.slice(1)}`)).toBe(false);
  expect(isMatchedByValue(`${beginning}${random}`)).toBe(true);
  for (const { bytes } of needlesOf(`${beginning}${random}${random}`))
    expect(bytes.length).toBe(beginning.length + matchedBytesMin);
}); // biome-ignore format: a list of beginnings

test('a secret that ends like an escape is not matched by a beginning below the minimum', () => {
  for (const end of ['&aaaa', '%2', String.raw`\u00`]) {
    const value = `application-key-${random.slice(4)}${end}`;
    for (const { bytes } of needlesOf(value))
      expect(bytes.length).toBeGreaterThanOrEqual(Math.min(32, value.length));
  }
});

test.each([
  ['bytes, not characters', 'é'.repeat(8), true],
  ['fewer than sixteen bytes', 'é'.repeat(7), false],
  ['a password of sixteen bytes in a URL', `postgres://app:${random}@db.example:5432/x`, true],
  [
    'a password of fifteen bytes in a URL',
    `postgres://app:${random.slice(1)}@db.example:5432/${random}`,
    false,
  ],
  ['the decoded bytes of a password', `postgres://app:${'%41'.repeat(15)}@db.example`, false],
  ['a token as the user of a URL', `https://${random}@git.example/a.git`, true],
  ['words, which count as a whole', 'correct-horse-battery', true],
  ['an empty value', '', false],
])('decides by %s whether a secret is matched by its value', (_, value, isMatched) => {
  expect(isMatchedByValue(value)).toBe(isMatched);
});
