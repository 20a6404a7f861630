/** Maps each byte to the form in which secrets are compared: ASCII in lower case. */
export const spelling = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? String.fromCharCode(byte).toLowerCase().charCodeAt(0) : byte,
);

export function toSpelling(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => spelling[byte] ?? 0));
}

const token = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9!#$*+./=^_~-]/.test(String.fromCharCode(byte))),
);

/**
 * Whether a byte belongs to a token. The run of such bytes around a match is hidden with it, so the
 * set has what tokens consist of and nothing that ends a value in JSON, in a URL or in prose.
 */
export function isToken(byte: number | undefined): boolean {
  return byte !== undefined && token[byte] === 1;
}
