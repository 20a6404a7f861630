import { startsWith } from '@ambit/as-sdk';
import { ALNUM, DASH, DIGIT, DOT, endsEscape, isIn, LETTER, setOf, UNDERSCORE } from './alphabet';
import { EMAIL_ADDRESS, Match } from './secret';

/**
 * An e-mail address around the `@` at `at`, or its form `%40` in a URL. Both sides are read
 * outwards up to the next such sign, so a text of only `@` is read once.
 */
export function findEmail(at: usize, floor: usize, end: usize, match: Match): bool {
  const start = localStart(at, floor);
  if (start == at || (at - start == 3 && startsWith(start, end, 'git'))) return false;
  const close = domainEnd(at + (load<u8>(at) == 0x40 ? 1 : 3), end);
  return close > 0 && match.set(EMAIL_ADDRESS, start, close);
}

function localStart(at: usize, floor: usize): usize {
  let start = at;
  while (start > floor && !endsEscape(start, floor)) {
    const width = localWidthBefore(start, floor);
    if (width == 0) break;
    start -= width;
  }
  // Quotes, emphasis and punctuation before an address are not part of it.
  while (start < at && load<u8>(start) < 0x80 && !isIn(start, ALNUM)) start++;
  return start;
}

function localWidthBefore(at: usize, floor: usize): i32 {
  const byte = load<u8>(at - 1);
  if (byte < 0x80) {
    if ((setOf(byte) & (ALNUM | DOT | UNDERSCORE | DASH)) != 0) return 1;
    return byte == 0x2b || byte == 0x25 || byte == 0x27 ? 1 : 0;
  }
  if (at - floor >= 2 && wideLetterWidth(at - 2, at) == 2) return 2;
  return at - floor >= 3 && wideLetterWidth(at - 3, at) == 3 ? 3 : 0;
}

/**
 * The bytes of a non-ASCII letter: Latin, Greek and Cyrillic. Scripts without spaces between words
 * are left out; otherwise an address in a Chinese sentence would include the sentence.
 */
function wideLetterWidth(at: usize, end: usize): i32 {
  const lead = load<u8>(at);
  if (lead >= 0xc3 && lead <= 0xd4 && at + 2 <= end && isContinuation(at + 1)) return 2;
  // U+1E00 to U+1EFF, which includes Vietnamese.
  if (lead != 0xe1 || at + 3 > end || !isContinuation(at + 2)) return 0;
  return load<u8>(at + 1) >= 0xb8 && load<u8>(at + 1) <= 0xbb ? 3 : 0;
}

function isContinuation(at: usize): bool {
  return (load<u8>(at) & 0xc0) == 0x80;
}

/**
 * The end of a domain with at least two labels whose last could be a top-level domain; 0 if there
 * is none.
 */
function domainEnd(start: usize, end: usize): usize {
  let at = start;
  let close: usize = 0;
  let last: usize = 0;
  for (let labels = 0; ; labels++) {
    const label = at;
    let letters = 0;
    let pure = true;
    while (at < end) {
      const set = setOf(load<u8>(at));
      const width = (set & LETTER) != 0 ? 1 : wideLetterWidth(at, end);
      if (width > 0) {
        letters++;
        at += width;
      } else if ((set & (DIGIT | DASH)) != 0) {
        // `name@example.com-2024`: the address may end before the dash.
        if (set == DASH && pure && letters > 1 && labels > 0) {
          close = at;
          last = label;
        }
        pure = false;
        at++;
      } else {
        break;
      }
    }
    if (at == label) break;
    if (labels > 0 && ((pure && letters > 1) || startsWith(label, at, 'xn--'))) {
      close = at;
      last = label;
    }
    if (at == end || load<u8>(at) != 0x2e) break;
    at++;
  }
  return close == 0 || isScale(start, end) || isUnit(last, close) ? 0 : close;
}

/** `logo@2x.png` is an image for high-density screens. */
function isScale(at: usize, end: usize): bool {
  return at + 3 <= end && isIn(at, DIGIT) && startsWith(at + 1, end, 'x.');
}

/** `getty@tty1.service` is a systemd unit. */
function isUnit(at: usize, end: usize): bool {
  const length = <i32>(end - at);
  if (length == 5) return startsWith(at, end, 'timer') || startsWith(at, end, 'mount');
  if (length == 6) return startsWith(at, end, 'socket') || startsWith(at, end, 'target');
  return length == 7 && startsWith(at, end, 'service');
}
