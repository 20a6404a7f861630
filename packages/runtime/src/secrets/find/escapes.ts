/** The bytes that an escape stands for, and where it ends. */
interface Escape {
  bytes: readonly number[];
  end: number;
}

/** `unfinished`: the bytes end before the escape does. `undefined`: no escape begins there. */
type FoundEscape = Escape | 'unfinished' | undefined;

const [ampersand, backslash, percent] = [0x26, 0x5c, 0x25];

/** A kind of escape: its first byte, and the function that reads the escape at `at`. */
export interface EscapeKind {
  begin: number;
  read(bytes: Buffer, at: number): FoundEscape;
}

/**
 * The escapes of JSON and most programming languages (`\/`, `\u002B`, `\xe9`), URLs (`%2b`) and
 * HTML (`&#x2B;`, `&plus;`). Text that was escaped twice by the same rule is read too: `\\u002B`,
 * `%252b`, `&amp;#43;`.
 */
export const escapeKinds: readonly EscapeKind[] = [
  { begin: backslash, read: backslashEscape },
  { begin: percent, read: percentEscape },
  { begin: ampersand, read: entity },
];

/** JSON nested four times. */
const backslashesMax = 15;
const [letterU, letterX] = [0x75, 0x78];
/**
 * The byte that a letter after a backslash stands for: a control character or, as in `\/` and `\"`,
 * itself.
 */
const escaped = Uint8Array.from({ length: 256 }, (_, byte) => {
  const control = { b: 0x08, t: 0x09, n: 0x0a, f: 0x0c, r: 0x0d }[String.fromCharCode(byte)];
  return control ?? byte;
});

function backslashEscape(bytes: Buffer, at: number): FoundEscape {
  const letterAt = afterBackslashes(bytes, at);
  const letter = bytes[letterAt];
  if (letter === undefined) return 'unfinished';
  // The next escape starts here.
  if (letter === percent || letter === ampersand) return { bytes: [], end: letterAt };
  const digits = letter === letterU ? 4 : letter === letterX ? 2 : 0;
  const code = digits === 0 ? undefined : hexadecimal(bytes, letterAt + 1, digits);
  if (code === 'unfinished') return code;
  if (code === undefined) return { bytes: [escaped[letter] ?? letter], end: letterAt + 1 };
  const end = letterAt + 1 + digits;
  return digits === 2 ? { bytes: [code], end } : codeUnit(bytes, code, end);
}

/** A UTF-16 code unit, with its second half if it has one. */
function codeUnit(bytes: Buffer, first: number, end: number): FoundEscape {
  if (first < 0xd800 || first > 0xdbff) return { bytes: utf8(first), end };
  if (end === bytes.length) return 'unfinished';
  if (bytes[end] !== backslash) return { bytes: utf8(first), end };
  const letterAt = afterBackslashes(bytes, end);
  if (letterAt === bytes.length) return 'unfinished';
  const second = bytes[letterAt] === letterU ? hexadecimal(bytes, letterAt + 1, 4) : undefined;
  if (second === 'unfinished') return second;
  if (second === undefined || second < 0xdc00 || second > 0xdfff) return { bytes: utf8(first), end };
  return { bytes: utf8(((first - 0xd800) << 10) + (second - 0xdc00) + 0x10000), end: letterAt + 5 };
}

function afterBackslashes(bytes: Buffer, at: number): number {
  let next = at + 1;
  while (bytes[next] === backslash && next - at < backslashesMax) next++;
  return next;
}

const percentLevelsMax = 4;

function percentEscape(bytes: Buffer, at: number): FoundEscape {
  let digitsAt = at + 1;
  let value = hexadecimal(bytes, digitsAt, 2);
  for (let level = 1; value === percent && level < percentLevelsMax; level++) {
    const inner = hexadecimal(bytes, digitsAt + 2, 2);
    if (inner === undefined) break;
    [value, digitsAt] = [inner, digitsAt + 2];
  }
  return typeof value === 'number' ? { bytes: [value], end: digitsAt + 2 } : value;
}

/** HTML's names for ASCII punctuation. */
const characters: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', excl: '!', num: '#', dollar: '$',
  percnt: '%', lpar: '(', rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',', period: '.', sol: '/',
  colon: ':', semi: ';', equals: '=', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\',
  rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|',
  vert: '|', rcub: '}', rbrace: '}',
}; // biome-ignore format: a table

const names = Object.keys(characters).join('|');
const wholeEntity = new RegExp(
  `^&(?:amp;|#38;|#x26;){0,3}(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|(${names}));`,
  'i',
);
const begunEntity = /^&(?:amp;|#38;|#x26;){0,3}(?:#(?:[0-9]{0,7}|x[0-9a-f]{0,6})|[a-z]{0,6})$/i;
const entityMax = 26;

function entity(bytes: Buffer, at: number): FoundEscape {
  const text = bytes.toString('latin1', at, at + entityMax);
  const found = wholeEntity.exec(text);
  if (found === null) return begunEntity.test(text) ? 'unfinished' : undefined;
  const [all, decimal, hex, named] = found;
  const letter = characters[named?.toLowerCase() ?? ''];
  const code = letter?.charCodeAt(0) ?? Number(decimal ?? `0x${hex}`);
  if (code > 0x10ffff) return undefined;
  return { bytes: utf8(code), end: at + all.length };
}

const digitOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 16 : digit;
});

function hexadecimal(bytes: Buffer, at: number, digits: number): number | 'unfinished' | undefined {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const byte = bytes[index];
    if (byte === undefined) return 'unfinished';
    const digit = digitOf[byte] ?? 16;
    if (digit === 16) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function utf8(code: number): readonly number[] {
  return code < 0x80 ? [code] : [...Buffer.from(String.fromCodePoint(code))];
}
