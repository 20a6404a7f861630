/** The longest text in a bracket that can be a reserved name. */
const charactersMax = 64;

/**
 * The ASCII that the beginning of a text looks like, in lower case, for comparison with names:
 * without hidden characters and accents, with full-width and mathematical letters as plain ones,
 * and with similar letters of other scripts as Latin ones.
 */
export function looksLike(text: string): string {
  if (plain.test(text)) return text.slice(0, charactersMax).toLowerCase();
  const seen = text.replace(hidden, '').slice(0, charactersMax).toWellFormed().normalize('NFKD');
  const lower = seen.replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(lower, (character) => lookAlikes.get(character) ?? character).join('');
}

const plain = /^[\t\n\r\x20-\x7E]*$/;
// U+2800 counts as a letter but looks like a blank.
const hidden = /[[\p{DI}\p{Cc}\uFFF9-\uFFFD\u2800]--\s]/gv;

/**
 * Each character in a value looks like its key. From Unicode's confusables (UTS 39), as far as
 * reserved names need them.
 */
const groups: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ', b: 'ьвᏼ', c: 'сϲᴄ', d: 'ԁᴅ', e: 'еєᴇ', f: 'ғꜰ', g: 'ցɡ', h: 'һհʜн', i: 'іıιɪі', j: 'јϳ', k: 'кκᴋ',
  l: 'ӏʟ', m: 'мᴍ', n: 'ոηɴп', o: 'оοօᴏ', p: 'рρᴘ', q: 'ԛ', r: 'гʀ', s: 'ѕꜱ', t: 'тτᴛ', u: 'υսᴜ', v: 'ѵνᴠ', w: 'ԝᴡ',
  x: 'хχ', y: 'уүγʏ', z: 'ᴢ', '/': '⁄∕⧸╱⟋', '|': '∣ǀ│¦┃❘', _: '▁ˍ', '-': '‐‑‒–—−',
}; // biome-ignore format: one a line would be a page

const lookAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries(groups).flatMap(([latin, alikes]) => Array.from(alikes, (alike) => [alike, latin] as const)),
);
