import { startsWith } from '@ambit/as-sdk';
import {
  ALNUM,
  BASE64,
  BASE64URL,
  DASH,
  DIGIT,
  DOT,
  isIn,
  runEnd,
  setOf,
  startsRun,
  startsWithLetters,
  TILDE,
  UNDERSCORE,
  UPPER,
  WORD,
} from './alphabet';
import {
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
  BEARER_TOKEN,
  GITHUB_TOKEN,
  GITLAB_TOKEN,
  GOOGLE_API_KEY,
  GOOGLE_OAUTH,
  HUGGING_FACE_TOKEN,
  JWT,
  Match,
  NPM_TOKEN,
  PYPI_TOKEN,
  Secret,
  SENDGRID_KEY,
  SK_API_KEY,
  SLACK_TOKEN,
  STRIPE_KEY,
} from './secret';

/** A key or token that begins with the letter or digit at `at`. */
export function findToken(at: usize, floor: usize, end: usize, match: Match): bool {
  const first = <i32>load<u8>(at) | 0x20;
  if (first == 0x65 && findJwt(at, floor, end, match)) return true;
  if (first == 0x62 && findBearer(at, end, match)) return true;
  if ((first == 0x61 || first == 0x73) && findAwsSecret(at, end, match)) return true;
  return findPrefixed(at, floor, end, match);
}

/**
 * A token with a known prefix: the prefix, then `least` to `most` characters of `alphabet`, not
 * followed by a letter.
 */
@final
class Shape {
  constructor(
    readonly prefix: string,
    readonly secret: Secret,
    readonly alphabet: u32,
    readonly least: i32,
    readonly most: i32 = i32.MAX_VALUE,
  ) {}
}

const SHAPES: Shape[] = [
  new Shape('ghp_', GITHUB_TOKEN, ALNUM, 36),
  new Shape('gho_', GITHUB_TOKEN, ALNUM, 36),
  new Shape('ghu_', GITHUB_TOKEN, ALNUM, 36),
  new Shape('ghs_', GITHUB_TOKEN, ALNUM, 36),
  new Shape('ghr_', GITHUB_TOKEN, ALNUM, 36),
  new Shape('github_pat_', GITHUB_TOKEN, WORD, 22),
  new Shape('glpat-', GITLAB_TOKEN, BASE64URL | DOT, 20),
  new Shape('AKIA', AWS_ACCESS_KEY_ID, UPPER | DIGIT, 16, 16),
  new Shape('ASIA', AWS_ACCESS_KEY_ID, UPPER | DIGIT, 16, 16),
  new Shape('xoxb-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxp-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxa-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxr-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxs-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxo-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxc-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxe-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xoxe.xox', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('xapp-', SLACK_TOKEN, ALNUM | DASH, 10),
  new Shape('AIza', GOOGLE_API_KEY, BASE64URL, 35, 35),
  new Shape('ya29.', GOOGLE_OAUTH, BASE64URL, 20),
  new Shape('GOCSPX-', GOOGLE_OAUTH, BASE64URL, 28, 28),
  new Shape('sk_live_', STRIPE_KEY, ALNUM, 16),
  new Shape('sk_test_', STRIPE_KEY, ALNUM, 16),
  new Shape('rk_live_', STRIPE_KEY, ALNUM, 16),
  new Shape('rk_test_', STRIPE_KEY, ALNUM, 16),
  new Shape('whsec_', STRIPE_KEY, BASE64, 24),
  new Shape('npm_', NPM_TOKEN, ALNUM, 36, 36),
  new Shape('pypi-', PYPI_TOKEN, BASE64URL, 50),
  new Shape('hf_', HUGGING_FACE_TOKEN, ALNUM, 34),
  new Shape('SG.', SENDGRID_KEY, BASE64URL | DOT, 60),
  new Shape('sk-', SK_API_KEY, BASE64URL, 20),
];

function findPrefixed(at: usize, floor: usize, end: usize, match: Match): bool {
  for (let i = 0; i < SHAPES.length; i++) {
    const shape = unchecked(SHAPES[i]);
    if (!startsWith(at, end, shape.prefix)) continue;
    // No character of the alphabet before it, so that each run is read once for each form, however
    // often it repeats a prefix.
    if (!startsRun(at, floor, shape.alphabet | WORD)) return false;
    const body = at + shape.prefix.length;
    let close = body + min(<i32>(runEnd(body, end, shape.alphabet) - body), shape.most);
    while (close > body && load<u8>(close - 1) == 0x2e) close--;
    if (<i32>(close - body) < shape.least || (close < end && isIn(close, ALNUM))) return false;
    return (shape.secret != SK_API_KEY || looksRandom(body, close)) && match.set(shape.secret, at, close);
  }
  return false;
}

/**
 * `sk-` also begins names such as `sk-fading-circle-container-2`. A key has digits, and either
 * capitals or one part of at least twelve characters with a digit.
 */
function looksRandom(at: usize, end: usize): bool {
  let digits = false;
  let capitals = false;
  let longMixed = false;
  let piece: usize = at;
  let pieceDigits = false;
  for (; at < end; at++) {
    const set = setOf(load<u8>(at));
    if (set == DIGIT) {
      digits = true;
      pieceDigits = true;
    } else if (set == UPPER) {
      capitals = true;
    } else if (set == DASH || set == UNDERSCORE) {
      piece = at + 1;
      pieceDigits = false;
    }
    if (pieceDigits && at + 1 - piece >= 12) longMixed = true;
  }
  return digits && (capitals || longMixed);
}

/**
 * RFC 7519: three base64url parts, the first two JSON objects (`eyJ` is `{"`); five if encrypted
 * (RFC 7516).
 */
function findJwt(at: usize, floor: usize, end: usize, match: Match): bool {
  if (!startsWith(at, end, 'eyJ') || !startsRun(at, floor, BASE64URL)) return false;
  const header = runEnd(at, end, BASE64URL);
  if (header - at < 10 || header == end || load<u8>(header) != 0x2e) return false;
  const second = runEnd(header + 1, end, BASE64URL);
  if (second - header < 5 || second == end || load<u8>(second) != 0x2e) return false;
  let close = runEnd(second + 1, end, BASE64URL);
  for (let extra = 0; extra < 2 && close < end && load<u8>(close) == 0x2e; extra++) {
    const part = runEnd(close + 1, end, BASE64URL);
    if (part - close < 9) break;
    close = part;
  }
  return match.set(JWT, at, close);
}

/**
 * The token after `Bearer` (RFC 6750). It must contain a digit, or "bearer of-responsibilities"
 * would match.
 */
function findBearer(at: usize, end: usize, match: Match): bool {
  if (!startsWithLetters(at, end, 'bearer')) return false;
  let start = at + 6;
  while (start < end && start - at < 14 && (load<u8>(start) == 0x20 || load<u8>(start) == 0x09)) start++;
  if (start == at + 6) return false;
  let close = runEnd(start, end, BASE64 | BASE64URL | DOT | TILDE);
  while (close > start && load<u8>(close - 1) == 0x2e) close--;
  if (close - start < 16) return false;
  for (let digit = start; digit < close; digit++) {
    if (isIn(digit, DIGIT)) return match.set(BEARER_TOKEN, start, close);
  }
  return false;
}

/**
 * An AWS secret has no prefix: forty base64 characters are one only if the name beside them
 * indicates it.
 */
function findAwsSecret(at: usize, end: usize, match: Match): bool {
  let start = at;
  if (startsWithLetters(start, end, 'aws')) start += 3;
  if (start < end && start > at && load<u8>(start) == 0x5f) start++;
  if (startsWithLetters(start, end, 'secret_access_key')) start += 17;
  else if (startsWithLetters(start, end, 'secretaccesskey')) start += 15;
  else return false;
  const furthest = min(start + 12, end);
  while (start < furthest && isBetweenNameAndValue(load<u8>(start))) start++;
  const close = runEnd(start, end, BASE64);
  return close - start == 40 && match.set(AWS_SECRET_ACCESS_KEY, start, close);
}

function isBetweenNameAndValue(byte: u8): bool {
  return (
    byte == 0x20 ||
    byte == 0x3d ||
    byte == 0x3a ||
    byte == 0x22 ||
    byte == 0x27 ||
    byte == 0x5c ||
    byte == 0x3e
  );
}
