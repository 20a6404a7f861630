import { DIGIT, isHex, isIn, runEnd, startsRun, WORD } from './alphabet';
import { CARD_NUMBER, Match } from './secret';

const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/**
 * A payment card number that begins with the digit at `at`: 13 to 19 digits, together or in groups
 * of three and more separated by one space or dash, that a card scheme issues and that passes
 * Luhn's check (ISO/IEC 7812-1, annex B). The longest of several candidates wins. Without a match,
 * `match.end` is the end of the group.
 */
export function findCard(at: usize, floor: usize, end: usize, match: Match): bool {
  let group = runEnd(at, end, DIGIT);
  match.end = group;
  if (!startsRun(at, floor, WORD) || isFraction(at, floor)) return false;
  // A telephone number (ITU-T E.164) has a plus sign and at most 15 digits.
  const least = at > floor && load<u8>(at - 1) == 0x2b ? 16 : DIGITS_MIN;
  let digits = <i32>(group - at);
  let separator: u8 = 0;
  let close: usize = 0;
  while (digits <= DIGITS_MAX) {
    const ends = group == end || !isIn(group, WORD);
    if (digits >= least && ends && isIssued(at, digits) && passesLuhn(at, group)) close = group;
    if (group + 1 >= end || group - at < 3) break;
    const byte = load<u8>(group);
    if (separator == 0 ? byte != 0x20 && byte != 0x2d : byte != separator) break;
    separator = byte;
    const next = runEnd(group + 1, min(group + 1 + DIGITS_MAX, end), DIGIT);
    const added = <i32>(next - group - 1);
    if (added < 3) break;
    digits += added;
    group = next;
  }
  return close > 0 && match.set(CARD_NUMBER, at, close);
}

/** Whether a UUID begins at `at`; its groups could look like a card number. */
export function isUuid(at: usize, end: usize): bool {
  if (at + 36 > end) return false;
  for (let i = 0; i < 36; i++) {
    const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? load<u8>(at + i) != 0x2d : !isHex(at + i)) return false;
  }
  return true;
}

/**
 * `0.4111111111111111` is a fraction. A comma is not: between two numbers it usually separates
 * table cells.
 */
function isFraction(at: usize, floor: usize): bool {
  return at - floor >= 2 && load<u8>(at - 1) == 0x2e && isIn(at - 2, DIGIT);
}

/**
 * Whether a card scheme issues numbers of this length with this beginning. One random number in ten
 * passes Luhn's check; this check excludes times in milliseconds and most identifiers.
 */
function isIssued(at: usize, digits: i32): bool {
  let lead = 0;
  for (let i = 0; i < 4; at++) {
    const byte = load<u8>(at);
    if (byte - 0x30 > 9) continue;
    lead = lead * 10 + (byte - 0x30);
    i++;
  }
  const two = lead / 100;
  if (two >= 40 && two <= 49) return digits == 13 || digits == 16 || digits == 19;
  if (two >= 51 && two <= 55) return digits == 16;
  if (lead >= 2221 && lead <= 2720) return digits == 16;
  if (lead >= 2200 && lead <= 2204) return digits >= 16;
  if (two == 34 || two == 37) return digits == 15;
  if (two == 30 || two == 36 || two == 38 || two == 39) return digits >= 14;
  if (two == 35) return digits >= 16;
  if (two == 81 || two == 82 || lead == 9792) return digits == 16;
  return two == 50 || (two >= 56 && two <= 69);
}

function passesLuhn(start: usize, end: usize): bool {
  let sum = 0;
  let double = false;
  for (let at = end; at > start; at--) {
    const byte = load<u8>(at - 1);
    if (byte - 0x30 > 9) continue;
    const digit = <i32>(byte - 0x30);
    const twice = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += double ? twice : digit;
    double = !double;
  }
  return sum % 10 == 0;
}
