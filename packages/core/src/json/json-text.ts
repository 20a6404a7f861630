/**
 * A JSON value as text, for values too large to parse on the event loop. `JSON.stringify` writes it
 * as the value, so code that does not know the class is correct but slow.
 */
export class JsonText {
  /** UTF-8, on one line, as `JSON.stringify` writes it. */
  readonly bytes: Uint8Array;
  #digest: string | (() => string);

  /** `digest` is the SHA-256 of the bytes in hex, or a function that computes it. */
  constructor(bytes: Uint8Array, digest: string | (() => string)) {
    this.bytes = bytes;
    this.#digest = digest;
  }

  /** The SHA-256 digest of the bytes, in hex. */
  get sha256(): string {
    if (typeof this.#digest !== 'string') this.#digest = this.#digest();
    return this.#digest;
  }

  value(): unknown {
    return JSON.parse(new TextDecoder().decode(this.bytes));
  }

  toJSON(): unknown {
    return this.value();
  }

  /** The text, or at least this many UTF-16 code units of its beginning. */
  start(characters: number): string {
    // A code unit takes at most 3 bytes of UTF-8. The last character may be cut.
    return new TextDecoder().decode(this.bytes.subarray(0, 3 * (characters + 1)), { stream: true });
  }
}

/**
 * Serializes values as JSON, large ones without blocking other calls. Nested `JsonText` values are
 * copied. A value without JSON, such as a function, is written as `null`.
 */
export interface JsonWriter {
  /** A promise for a large value. */
  write(value: unknown): Promise<JsonText>;
}
