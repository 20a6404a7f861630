import { startsWith, Text } from './text';

const DEPTH_MAX = 64;

/**
 * Reads JSON (RFC 8259) once, front to back, without building a tree and without trapping. The
 * first problem becomes `error`, one sentence for the user. After it, every method returns an empty
 * value, so a skill checks once, at its end. Strings are unescaped in place: the reader owns the
 * given bytes.
 *
 * ```ts
 * const reader = new JsonReader(input);
 * for (reader.enterObject(); reader.nextKey(); ) {
 *   if (reader.key.is('text')) text = reader.readText();
 *   else reader.skipValue();
 * }
 * reader.end();
 * if (reader.error.length > 0) return fail(reader.error);
 * ```
 */
@final
export class JsonReader {
  error: string = '';
  /** The key that `nextKey` stopped at. */
  key: Text = Text.empty();

  private start: usize;
  private at: usize;
  private limit: usize;
  private depth: i32 = 0;
  /** One bit for each level: whether its first member or item is still to come. */
  private fresh: u64 = 0;

  constructor(input: Text) {
    this.start = input.start;
    this.at = input.start;
    this.limit = input.end;
  }

  enterObject(): void {
    this.enter(0x7b, 'an object');
  }

  /** Moves to the next member and sets `key`; false at the end of the object. */
  nextKey(): bool {
    if (!this.next(0x7d)) return false;
    this.skipSpace();
    if (this.peek() != 0x22) return this.malformed();
    this.key = this.unescape();
    this.skipSpace();
    if (this.peek() != 0x3a) return this.malformed();
    this.at++;
    return this.error.length == 0;
  }

  enterArray(): void {
    this.enter(0x5b, 'a list');
  }

  /** Moves to the next item; false at the end of the list. */
  nextItem(): bool {
    return this.next(0x5d);
  }

  readText(): Text {
    this.skipSpace();
    if (this.error.length > 0) return Text.empty();
    if (this.peek() == 0x22) return this.unescape();
    this.unexpected('a string');
    return Text.empty();
  }

  /** An integer without fraction or exponent, as JSON.stringify writes it. */
  readInteger(least: i32, most: i32): i32 {
    this.skipSpace();
    if (this.error.length > 0) return least;
    const negative = this.peek() == 0x2d;
    const first = negative ? this.at + 1 : this.at;
    const digits = this.digitsAt(first);
    let value: i64 = 0;
    for (let i = 0; i < min(digits, 12); i++) value = value * 10 + (load<u8>(first + i) - 0x30);
    if (negative) value = -value;
    const next = first + digits;
    const whole = digits == 1 || (digits > 1 && digits <= 12 && load<u8>(first) != 0x30);
    if (!whole || value < least || value > most || (next < this.limit && isNumberByte(load<u8>(next)))) {
      this.unexpected(`a whole number from ${least} to ${most}`);
      return least;
    }
    this.at = next;
    return <i32>value;
  }

  skipValue(): void {
    this.skipSpace();
    if (this.error.length > 0) return;
    const byte = this.peek();
    if (byte == 0x7b) {
      for (this.enterObject(); this.nextKey(); ) this.skipValue();
    } else if (byte == 0x5b) {
      for (this.enterArray(); this.nextItem(); ) this.skipValue();
    } else if (byte == 0x22) {
      this.unescape();
    } else if (byte == 0x74) {
      this.skipWord('true');
    } else if (byte == 0x66) {
      this.skipWord('false');
    } else if (byte == 0x6e) {
      this.skipWord('null');
    } else {
      this.skipNumber();
    }
  }

  /** Call after the outermost value: only white space may follow it. */
  end(): void {
    this.skipSpace();
    if (this.at < this.limit) this.malformed();
  }

  private enter(open: u8, what: string): void {
    this.skipSpace();
    if (this.error.length > 0) return;
    if (this.peek() != open) {
      this.unexpected(what);
    } else if (this.depth == DEPTH_MAX) {
      this.refuse(`The input is nested more than ${DEPTH_MAX} deep.`);
    } else {
      this.at++;
      this.fresh |= (<u64>1) << this.depth;
      this.depth++;
    }
  }

  private next(close: u8): bool {
    this.skipSpace();
    if (this.error.length > 0) return false;
    const bit = (<u64>1) << (this.depth - 1);
    const first = (this.fresh & bit) != 0;
    this.fresh &= ~bit;
    if (this.peek() == close) {
      this.at++;
      this.depth--;
      return false;
    }
    if (first) return true;
    if (this.peek() != 0x2c) return this.malformed();
    this.at++;
    return true;
  }

  private unescape(): Text {
    let at = this.at + 1;
    const limit = this.limit;
    const start = at;
    while (at < limit && !isSpecial(load<u8>(at))) at++;
    let to = at;
    while (at < limit) {
      const byte = load<u8>(at);
      if (byte == 0x22) {
        this.at = at + 1;
        return new Text(start, <i32>(to - start));
      }
      if (byte < 0x20) break;
      if (byte != 0x5c) {
        store<u8>(to++, byte);
        at++;
        continue;
      }
      const escape = at + 1 < limit ? load<u8>(at + 1) : 0;
      if (escape == 0x75) {
        let code = hexAt(at + 2, limit);
        if (code < 0) break;
        at += 6;
        if ((code & 0xfc00) == 0xd800 && startsWith(at, limit, '\\u')) {
          const low = hexAt(at + 2, limit);
          if (low >= 0 && (low & 0xfc00) == 0xdc00) {
            code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
            at += 6;
          }
        }
        to = storeUtf8(to, code);
      } else {
        const plain = unescaped(escape);
        if (plain == 0) break;
        store<u8>(to++, plain);
        at += 2;
      }
    }
    this.at = at;
    this.malformed();
    return Text.empty();
  }

  private skipWord(word: string): void {
    if (startsWith(this.at, this.limit, word)) this.at += word.length;
    else this.malformed();
  }

  private skipNumber(): void {
    let at = this.at;
    if (this.peek() == 0x2d) at++;
    const whole = this.digitsAt(at);
    let valid = whole > 0 && (whole == 1 || load<u8>(at) != 0x30);
    at += whole;
    if (valid && at < this.limit && load<u8>(at) == 0x2e) {
      const fraction = this.digitsAt(++at);
      valid = fraction > 0;
      at += fraction;
    }
    if (valid && at < this.limit && (load<u8>(at) | 0x20) == 0x65) {
      at++;
      if (at < this.limit && (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d)) at++;
      const exponent = this.digitsAt(at);
      valid = exponent > 0;
      at += exponent;
    }
    if (!valid) this.malformed();
    else this.at = at;
  }

  private digitsAt(at: usize): i32 {
    let count = 0;
    while (at + count < this.limit && load<u8>(at + count) - 0x30 <= 9) count++;
    return count;
  }

  private skipSpace(): void {
    let at = this.at;
    while (at < this.limit) {
      const byte = load<u8>(at);
      if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) break;
      at++;
    }
    this.at = at;
  }

  /** The next byte; 0, which is not in JSON's grammar, at the end. */
  private peek(): u8 {
    return this.at < this.limit ? load<u8>(this.at) : 0;
  }

  private unexpected(what: string): void {
    const subject = this.depth == 0 ? 'The input' : `The value of "${this.key.toString()}"`;
    this.refuse(`${subject} is not ${what}.`);
  }

  private malformed(): bool {
    this.refuse(`The input is not valid JSON (at byte ${this.at - this.start}).`);
    return false;
  }

  private refuse(sentence: string): void {
    if (this.error.length == 0) this.error = sentence;
  }
}

@inline
function isSpecial(byte: u8): bool {
  return byte == 0x22 || byte == 0x5c || byte < 0x20;
}

function isNumberByte(byte: u8): bool {
  return byte - 0x30 <= 9 || byte == 0x2e || (byte | 0x20) == 0x65;
}

/** The character that `\` and this byte represent; 0 for an invalid escape. */
function unescaped(byte: u8): u8 {
  switch (byte) {
    case 0x22:
    case 0x5c:
    case 0x2f:
      return byte;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

/** The number of four hexadecimal digits; -1 if they are invalid. */
function hexAt(at: usize, limit: usize): i32 {
  if (at + 4 > limit) return -1;
  let value = 0;
  for (let i = 0; i < 4; i++) {
    const byte = load<u8>(at + i);
    const letter = byte | 0x20;
    if (byte - 0x30 <= 9) value = (value << 4) | (byte - 0x30);
    else if (letter >= 0x61 && letter <= 0x66) value = (value << 4) | (letter - 0x57);
    else return -1;
  }
  return value;
}

function storeUtf8(to: usize, code: i32): usize {
  if (code < 0x80) {
    store<u8>(to, <u8>code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, <u8>(0xc0 | (code >> 6)));
    store<u8>(to + 1, <u8>(0x80 | (code & 0x3f)));
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (code >> 12)));
    store<u8>(to + 1, <u8>(0x80 | ((code >> 6) & 0x3f)));
    store<u8>(to + 2, <u8>(0x80 | (code & 0x3f)));
    return to + 3;
  }
  store<u8>(to, <u8>(0xf0 | (code >> 18)));
  store<u8>(to + 1, <u8>(0x80 | ((code >> 12) & 0x3f)));
  store<u8>(to + 2, <u8>(0x80 | ((code >> 6) & 0x3f)));
  store<u8>(to + 3, <u8>(0x80 | (code & 0x3f)));
  return to + 4;
}
