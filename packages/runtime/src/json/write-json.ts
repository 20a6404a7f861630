import { hash } from 'node:crypto';

/** A JSON text in UTF-8 and its digest in hex. */
export interface WrittenJson {
  bytes: Uint8Array;
  sha256: string;
}

/**
 * A value whose large parts are already written. `mark` replaces them, in the order of `texts`.
 */
export interface MarkedJson {
  value: unknown;
  mark: string;
  texts: readonly Uint8Array[];
}

export function writtenJson(text: string): WrittenJson {
  return withDigest(new TextEncoder().encode(text));
}

export function withDigest(bytes: Uint8Array): WrittenJson {
  return { bytes, sha256: hash('sha256', bytes) };
}

/** Writes a value with its texts inserted, in pieces. */
export function writeMarked({ value, mark, texts }: MarkedJson): Uint8Array[] {
  const outer = Buffer.from(JSON.stringify(value));
  const quoted = `"${mark}"`;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const text of texts) {
    const at = outer.indexOf(quoted, from);
    parts.push(outer.subarray(from, at), text);
    from = at + quoted.length;
  }
  return [...parts, outer.subarray(from)];
}
