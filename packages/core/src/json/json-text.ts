/**
 * A JSON value as its text, for a value that takes too long to build in the thread that serves requests. `JSON.stringify`
 * writes it as the value, so code that does not know it still gets the right answer, only slowly.
 */
export class JsonText {
  /** UTF-8, on one line, as `JSON.stringify` writes it. */
  readonly bytes: Uint8Array;
  #digest: string | (() => string);

  /** `digest` is the SHA-256 of the bytes in hex, or what counts it, which takes a while for many bytes. */
  constructor(bytes: Uint8Array, digest: string | (() => string)) {
    this.bytes = bytes;
    this.#digest = digest;
  }

  /** Of the bytes, in hex. */
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

  /** The text, or at least so many UTF-16 code units from its start. */
  start(characters: number): string {
    // A code unit takes at most 3 bytes of UTF-8, and the last character may be cut.
    return new TextDecoder().decode(this.bytes.subarray(0, 3 * (characters + 1)), { stream: true });
  }
}

/** Writes values as JSON, and those that are large without holding up other calls. A `JsonText` anywhere in one is copied. */
export interface JsonWriter {
  write(value: unknown): Promise<JsonText>;
}
