/**
 * A range of UTF-8 bytes in memory that is never freed: a skill lives for one call. Text stays in
 * its original bytes, because an AssemblyScript string is UTF-16 and needs twice the memory for
 * ASCII. An unpaired surrogate, which JSON can contain and UTF-8 cannot, is stored as three bytes
 * (WTF-8) and written as an escape.
 */
@final
export class Text {
  constructor(
    readonly start: usize,
    readonly length: i32,
  ) {}

  static empty(): Text {
    return new Text(0, 0);
  }

  static of(value: string): Text {
    const length = String.UTF8.byteLength(value);
    const start = heap.alloc(length);
    String.UTF8.encodeUnsafe(changetype<usize>(value), value.length, start);
    return new Text(start, length);
  }

  @inline get end(): usize {
    return this.start + this.length;
  }

  /** Whether the text is this ASCII string. */
  is(ascii: string): bool {
    return this.length == ascii.length && startsWith(this.start, this.end, ascii);
  }

  toString(): string {
    return String.UTF8.decodeUnsafe(this.start, this.length);
  }
}

/** Whether the bytes from `at`, before `end`, begin with this ASCII string. */
export function startsWith(at: usize, end: usize, ascii: string): bool {
  if (at + ascii.length > end) return false;
  for (let i = 0; i < ascii.length; i++) {
    if (<i32>load<u8>(at + i) != ascii.charCodeAt(i)) return false;
  }
  return true;
}
