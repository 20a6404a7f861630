import { publicBeginning } from '../secret-shapes.ts';
import { decode } from './decode.ts';
import { escapeKinds } from './escapes.ts';
import { isToken, toSpelling } from './spelling.ts';

/** A beginning of a secret in one of its forms, to search for. */
export interface Needle {
  /** Spelled. Nothing shorter counts, and what follows them in a text changes nothing. */
  bytes: Buffer;
  /** Bytes of the whole secret in this form. */
  wholeBytes: number;
}

/**
 * The least that is ever compared with a text, beyond what many secrets have in common. Fewer bytes
 * can be guessed one by one, because a text shows whether it was redacted.
 */
export const matchedBytesMin = 16;

/**
 * Whether texts are searched for this secret: it has enough bytes beyond a public beginning such as
 * `ghp_`. Of a URL with a password, only the password counts.
 */
export function isMatchedByValue(value: string): boolean {
  return needlesOf(value).length > 0;
}

/**
 * Returns the texts to search for, with and without their escapes, or decoded from hexadecimal or
 * base64. A match needs `matchedBytesMin` bytes beyond a public beginning and leading words, and
 * every byte that is not of a token: the rest of the secret is then of the run that is hidden with
 * a match, so the hidden part does not depend on how much of the secret a text has.
 */
export function needlesOf(value: string): Needle[] {
  const secret = withoutUrl(value.toWellFormed());
  const known = secret.slice(0, publicBeginning(secret));
  if (Buffer.byteLength(secret) - Buffer.byteLength(known) < matchedBytesMin) return [];
  const words = known + (leadingWords.exec(secret.slice(known.length))?.[0] ?? '');
  const least = beginningOf(secret, Buffer.byteLength(words) + matchedBytesMin);
  const needles = formsFor(secret).flatMap(({ write, whole }) => {
    if (whole.length - write(known).length < matchedBytesMin) return [];
    const count = Math.max(
      write(least).length,
      write(words).length + matchedBytesMin,
      whole.findLastIndex((byte) => !isToken(byte)) + 1,
    );
    if (count > whole.length && whole.length < write(secret).length) return [];
    return { bytes: toSpelling(whole.subarray(0, count)), wholeBytes: whole.length };
  });
  return [...new Map(needles.map((needle) => [needle.bytes.toString('latin1'), needle])).values()];
}

/** The decoded password of a URL, or its user name if it has no password; any other value unchanged. */
function withoutUrl(value: string): string {
  const [, name = '', password = ''] = urlCredentials.exec(value) ?? [];
  const written = password === '' ? name : password;
  if (written === '') return value;
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** RFC 3986, section 3.2.1, also with characters that a password should have encoded. */
const urlCredentials = /^[a-z][a-z0-9+.-]*:\/\/([^/?#:@]*)(?::([^/?#]*))?@/i;

/** Words and numbers before the random part, such as `application-key-`, `api03-` or `1234567890-`. */
const leadingWords = /^[^a-z0-9]*(?:(?:[a-z]+[0-9]{0,2}|[0-9]+)[^a-z0-9]+)*/i;

/** Returns at least this many bytes of a text, in whole characters. */
function beginningOf(text: string, bytes: number): string {
  let beginning = '';
  let count = 0;
  for (const character of text) {
    if (count >= bytes) break;
    beginning += character;
    count += Buffer.byteLength(character);
  }
  return beginning;
}

type Write = (text: string) => Buffer;

interface Form {
  write: Write;
  /** The secret, or less of it if its last bytes may be part of an escape. */
  whole: Buffer;
}

/** The forms of a secret that differ in more than escapes or an encoding. */
function formsFor(secret: string): Form[] {
  const texts: Write[] = [(text) => Buffer.from(text)];
  // A form field.
  if (secret.includes(' ')) texts.push((text) => Buffer.from(text.replaceAll(' ', '+')));
  // As servers send it that take headers for Latin-1.
  if (/[\x80-\xff]/.test(secret)) texts.push((text) => Buffer.from(text, 'latin1'));
  return [...writings(secret), ...texts.flatMap((text) => readings(text, secret))];
}

/** Because unescaping may leave little of a value with escape signs: the value itself, and its JSON and URL forms. */
function writings(secret: string): Form[] {
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const all = /[\\%&]/.test(secret)
    ? [(text: string) => text, inJson, (text: string) => inJson(inJson(text)), encodeURIComponent]
    : [(text: string) => text];
  return all.map((write) => ({
    write: (text) => Buffer.from(write(text)),
    whole: Buffer.from(write(secret)),
  }));
}

/**
 * A value such as `a\b%20` looks escaped itself. Unescaping a text undoes some kinds of escapes in
 * it and not others, depending on how the text was escaped, so each combination is a form of its
 * own.
 */
function readings(write: Write, secret: string): Form[] {
  const bytes = write(secret);
  const kinds = escapeKinds.filter(({ begin }) => bytes.includes(begin));
  const selections = Array.from({ length: 2 ** kinds.length }, (_, bits) =>
    kinds.filter((_kind, index) => (bits >> index) & 1),
  );
  return selections.flatMap((each) => {
    const read: Write = (text) => decode(write(text), true, each).bytes;
    // The secret's last bytes may combine with what follows them into an escape: leave those out as well.
    return [read(secret), decode(bytes, false, each).bytes].map((whole) => ({ write: read, whole }));
  });
}
