import { escapeKinds } from './escapes.ts';
import { spelled } from './spelling.ts';
import { unescaped } from './unescaped.ts';

/** One form of a secret, to search for. */
export interface Needle {
  bytes: Buffer;
  /** Shortest beginning that counts when the rest is cut off. */
  beginningMin: number;
  /** Whether it may be broken into lines. */
  isEncoded: boolean;
}

/** Anything shorter occurs by chance. */
export const needleMin = 8;
/** Bytes needed after leading words. */
const behindWords = 4;

/**
 * The forms in which a secret may come back, apart from escapes: UTF-8, Latin-1, a form field,
 * hexadecimal, base64.
 */
export function needlesOf(value: string): Needle[] {
  const bytes = Buffer.from(value);
  const beginningMin = leastOf(spelled(bytes));
  const encoded = [bytes.toString('hex'), ...[0, 1, 2].map((offset) => base64Within(bytes, offset))];
  return [
    ...distinct([...writings(value), ...texts(value)].map(spelled)).map((text) => ({
      bytes: text,
      beginningMin,
      isEncoded: false,
    })),
    ...encoded.map((text) => ({
      bytes: spelled(Buffer.from(text)),
      beginningMin: Math.ceil((beginningMin * text.length) / bytes.length),
      isEncoded: true,
    })),
  ].filter((needle) => needle.bytes.length >= needleMin);
}

/** A form that is too short for a needle. It must match exactly, in upper and lower case. */
export interface ShortForm {
  bytes: Buffer;
  /**
   * Whether to search the text itself; if not, only its unescaped reading, where an escape is part
   * of the match.
   */
  isExact: boolean;
}

const shortMin = 4;

export function shortForms(value: string): ShortForm[] {
  const exact = writings(value).map((bytes) => ({ bytes, isExact: true }));
  const escaped = distinct(texts(value))
    .filter(({ length }) => length >= shortMin)
    .map((bytes) => ({ bytes, isExact: false }));
  return [...exact, ...escaped].filter(({ bytes }) => bytes.length < needleMin);
}

/**
 * The value itself and, because unescaping may leave little of a value with escape signs, its JSON
 * and URL forms.
 */
function writings(value: string): Buffer[] {
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const written = /[\\%&]/.test(value)
    ? [value, inJson(value), inJson(inJson(value)), encodeURIComponent(value)]
    : [value];
  return written.map((text) => Buffer.from(text));
}

/** What remains of the value after unescaping. */
function texts(value: string): Buffer[] {
  const all = [Buffer.from(value)];
  if (value.includes(' ')) all.push(Buffer.from(value.replaceAll(' ', '+')));
  // As servers send it that take headers for Latin-1.
  if (/[\x80-\xff]/.test(value)) all.push(Buffer.from(value, 'latin1'));
  return all.flatMap(readings);
}

/**
 * A value such as `a\b%20` looks escaped itself. Unescaping a text undoes some kinds of escapes in
 * it and not others, depending on how the text was escaped, so each combination is a form of its
 * own.
 */
function readings(bytes: Buffer): Buffer[] {
  const kinds = escapeKinds.filter(({ begin }) => bytes.includes(begin));
  const selections = Array.from({ length: 2 ** kinds.length }, (_, bits) =>
    kinds.filter((_kind, index) => (bits >> index) & 1),
  );
  // The value's last bytes may combine with what follows them into an escape: leave those out as
  // well.
  return selections.flatMap((each) => [true, false].map((isEnd) => unescaped(bytes, isEnd, each).bytes));
}

function distinct(all: readonly Buffer[]): Buffer[] {
  return [...new Map(all.map((bytes) => [bytes.toString('latin1'), bytes])).values()];
}

/**
 * Many texts begin with `https://`, `github_pat_` or `application-`. Such leading words, up to half
 * of the secret, count only together with four more bytes.
 */
function leastOf(bytes: Buffer): number {
  const words = /^[^a-z0-9]*(?:[a-z]+[^a-z0-9]+)*/.exec(bytes.toString('latin1'))?.[0].length ?? 0;
  return Math.max(needleMin, Math.min(words, bytes.length >> 1) + behindWords);
}

/**
 * The base64 characters that depend on `bytes` alone, when `offset` bytes (modulo three) precede
 * them.
 */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
