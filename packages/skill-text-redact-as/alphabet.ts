// Sets of ASCII characters, as bits.
export const DIGIT: u32 = 1;
export const UPPER: u32 = 2;
export const LOWER: u32 = 4;
export const UNDERSCORE: u32 = 8;
export const DASH: u32 = 16;
export const DOT: u32 = 32;
export const BASE64_MARK: u32 = 64;
export const TILDE: u32 = 128;

export const LETTER: u32 = UPPER | LOWER;
export const ALNUM: u32 = LETTER | DIGIT;
export const WORD: u32 = ALNUM | UNDERSCORE;
export const BASE64: u32 = ALNUM | BASE64_MARK;
export const BASE64URL: u32 = WORD | DASH;

/** The sets that contain a byte; 0 if none does. */
@inline
export function setOf(byte: u8): u32 {
  if (byte - 0x30 <= 9) return DIGIT;
  if (byte - 0x61 <= 25) return LOWER;
  if (byte - 0x41 <= 25) return UPPER;
  if (byte == 0x5f) return UNDERSCORE;
  if (byte == 0x2d) return DASH;
  if (byte == 0x2e) return DOT;
  if (byte == 0x2b || byte == 0x2f || byte == 0x3d) return BASE64_MARK;
  return byte == 0x7e ? TILDE : 0;
}

@inline
export function isIn(at: usize, alphabet: u32): bool {
  return (setOf(load<u8>(at)) & alphabet) != 0;
}

/** The end of the longest run of characters of one alphabet. */
export function runEnd(at: usize, end: usize, alphabet: u32): usize {
  while (at < end && isIn(at, alphabet)) at++;
  return at;
}

export function isHex(at: usize): bool {
  const byte = load<u8>(at);
  return byte - 0x30 <= 9 || (byte | 0x20) - 0x61 <= 5;
}

/** Whether the bytes from `at` begin with this lower-case ASCII text, ignoring case. */
export function startsWithLetters(at: usize, end: usize, letters: string): bool {
  if (at + letters.length > end) return false;
  for (let i = 0; i < letters.length; i++) {
    const byte = <i32>load<u8>(at + i);
    const wanted = letters.charCodeAt(i);
    if (byte != wanted && (byte < 0x41 || byte > 0x5a || (byte | 0x20) != wanted)) return false;
  }
  return true;
}

/**
 * Whether a match may start at `at`: the character before it is not in `alphabet`. Text that is
 * already masked (up to `floor`) does not count, nor does the end of an escape: in a log, `\n`,
 * `%3D` and color codes are not letters.
 */
export function startsRun(at: usize, floor: usize, alphabet: u32): bool {
  return at == floor || !isIn(at - 1, alphabet) || endsEscape(at, floor);
}

/**
 * Whether an escape ends right before `at`: `\n` and similar, `\u003d`, `%3D`, or a terminal color
 * code.
 */
export function endsEscape(at: usize, floor: usize): bool {
  const byte = load<u8>(at - 1);
  const room = at - floor;
  if (room >= 2 && load<u8>(at - 2) == 0x5c) {
    return byte == 0x6e || byte == 0x72 || byte == 0x74 || byte == 0x62 || byte == 0x66;
  }
  if (byte == 0x6d) return endsColour(at - 1, floor);
  if (room < 3 || !isHex(at - 1) || !isHex(at - 2)) return false;
  if (load<u8>(at - 3) == 0x25) return true;
  if (room < 6 || load<u8>(at - 6) != 0x5c || load<u8>(at - 5) != 0x75) return false;
  return isHex(at - 3) && isHex(at - 4);
}

/** Whether `ESC [ 1 ; 31` or similar ends right before `at`, where an `m` closes it. */
function endsColour(at: usize, floor: usize): bool {
  const furthest = at - floor > 20 ? at - 20 : floor;
  while (at > furthest && (load<u8>(at - 1) - 0x30 <= 9 || load<u8>(at - 1) == 0x3b)) at--;
  return at >= floor + 2 && load<u8>(at - 1) == 0x5b && load<u8>(at - 2) == 0x1b;
}
