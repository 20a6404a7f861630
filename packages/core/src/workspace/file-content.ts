/** The bytes of a file that is too large to hold: they are read in parts when they are needed. */
export interface FileContent {
  /** In bytes. */
  readonly length: number;
  /** Hex. */
  readonly sha256: string;
  /**
   * The bytes from `start` to before `end`, in parts of at most `partBytes`. A part is valid until the next one is asked for.
   * Rejects if they are missing or were altered.
   */
  parts(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

/** The size of the parts in which a file is stored. All but the last have it. */
export const partBytes = 1024 * 1024;

/** All bytes of a file. The caller bounds its length. */
export async function allBytesOf(content: Uint8Array | FileContent): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  const bytes = new Uint8Array(content.length);
  let at = 0;
  for await (const part of content.parts()) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The bytes of a file from `start` to before `end`, in parts. */
export async function* partsOf(
  content: Uint8Array | FileContent,
  start = 0,
  end = content.length,
): AsyncGenerator<Uint8Array> {
  if (!(content instanceof Uint8Array)) return yield* content.parts(start, end);
  for (let at = start; at < Math.min(end, content.length); at += partBytes)
    yield content.subarray(at, Math.min(at + partBytes, end));
}

/** The digest of a file, hex. */
export function digestOf(content: Uint8Array | FileContent, sha256: (content: Uint8Array) => string): string {
  return content instanceof Uint8Array ? sha256(content) : content.sha256;
}
