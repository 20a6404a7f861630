import { Text } from './text';

/**
 * Writes JSON into one growing buffer and adds the commas. It never exceeds `bytesMax` bytes: it
 * drops the rest and sets `overflowed`, which a skill turns into an error message. The buffer grows
 * in place while it is the newest block, so a skill that is short of memory allocates everything
 * else before it creates a writer.
 */
@final
export class JsonWriter {
  overflowed: bool = false;

  private start: usize;
  private length: i32 = 0;
  private capacity: i32;
  private comma: bool = false;

  constructor(private bytesMax: i32) {
    this.capacity = min(bytesMax, 4096);
    this.start = heap.alloc(this.capacity);
  }

  openObject(): void {
    this.beforeValue();
    this.push(0x7b);
    this.comma = false;
  }

  closeObject(): void {
    this.push(0x7d);
    this.comma = true;
  }

  openArray(): void {
    this.beforeValue();
    this.push(0x5b);
    this.comma = false;
  }

  closeArray(): void {
    this.push(0x5d);
    this.comma = true;
  }

  key(name: string): void {
    this.string(name);
    this.push(0x3a);
    this.comma = false;
  }

  string(value: string): void {
    // Reserves first: the copy below is then the newest block and can be freed, and growing never
    // moves the buffer.
    if (!this.makeRoom(6 * String.UTF8.byteLength(value) + 3)) return;
    const copy = Text.of(value);
    this.text(copy);
    heap.free(copy.start);
  }

  text(value: Text): void {
    this.openText();
    this.append(value.start, value.end);
    this.closeText();
  }

  integer(value: i64): void {
    this.beforeValue();
    this.appendInteger(value);
    this.comma = true;
  }

  boolean(value: bool): void {
    this.beforeValue();
    this.appendAscii(value ? 'true' : 'false');
    this.comma = true;
  }

  /** Begins a string. `append` adds pieces and `closeText` ends it. */
  openText(): void {
    this.beforeValue();
    this.push(0x22);
  }

  /**
   * Adds the bytes from `start` up to `end`, escaped. A piece must not begin or end inside a
   * character.
   */
  append(start: usize, end: usize): void {
    let plain = start;
    for (let at = start; at < end; at++) {
      const byte = load<u8>(at);
      if (byte >= 0x20 && byte != 0x22 && byte != 0x5c && byte != 0xed) continue;
      const wide = byte == 0xed;
      // 0xED leads U+D000 to U+DFFF. The upper half are surrogates, which an escape can represent
      // and UTF-8 cannot.
      if (wide && (end - at < 3 || load<u8>(at + 1) < 0xa0)) continue;
      this.pushAll(plain, <i32>(at - plain));
      if (wide) {
        this.pushEscape(0xd000 | ((<u32>load<u8>(at + 1) & 0x3f) << 6) | (<u32>load<u8>(at + 2) & 0x3f));
        at += 2;
      } else {
        this.pushControl(byte);
      }
      plain = at + 1;
    }
    this.pushAll(plain, <i32>(end - plain));
  }

  appendAscii(ascii: string): void {
    for (let i = 0; i < ascii.length; i++) {
      const byte = <u8>ascii.charCodeAt(i);
      if (byte >= 0x20 && byte != 0x22 && byte != 0x5c) this.push(byte);
      else this.pushControl(byte);
    }
  }

  appendInteger(value: i64): void {
    if (value < 0) this.push(0x2d);
    let rest: u64 = value < 0 ? 0 - value : value;
    let unit: u64 = 1;
    while (rest / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) {
      this.push(0x30 + <u8>(rest / unit));
      rest %= unit;
    }
  }

  closeText(): void {
    this.push(0x22);
    this.comma = true;
  }

  /** The text written so far. */
  written(): Text {
    return new Text(this.start, this.length);
  }

  private beforeValue(): void {
    if (this.comma) this.push(0x2c);
  }

  private pushControl(byte: u8): void {
    let short: u8 = 0;
    if (byte == 0x22 || byte == 0x5c) short = byte;
    else if (byte == 0x0a) short = 0x6e;
    else if (byte == 0x0d) short = 0x72;
    else if (byte == 0x09) short = 0x74;
    else if (byte == 0x08) short = 0x62;
    else if (byte == 0x0c) short = 0x66;
    if (short == 0) {
      this.pushEscape(byte);
    } else {
      this.push(0x5c);
      this.push(short);
    }
  }

  private pushEscape(code: u32): void {
    this.push(0x5c);
    this.push(0x75);
    for (let shift = 12; shift >= 0; shift -= 4) {
      const digit = <u8>((code >> shift) & 15);
      this.push(digit < 10 ? 0x30 + digit : 0x57 + digit);
    }
  }

  private push(byte: u8): void {
    if (this.makeRoom(1)) store<u8>(this.start + this.length++, byte);
  }

  private pushAll(start: usize, length: i32): void {
    if (length == 0 || !this.makeRoom(length)) return;
    memory.copy(this.start + this.length, start, length);
    this.length += length;
  }

  private makeRoom(length: i32): bool {
    if (this.overflowed || length > this.bytesMax - this.length) {
      this.overflowed = true;
      return false;
    }
    const needed = this.length + length;
    if (needed > this.capacity) {
      this.capacity = min(max(needed, this.capacity + (this.capacity >> 1)), this.bytesMax);
      this.start = heap.realloc(this.start, this.capacity);
    }
    return true;
  }
}
