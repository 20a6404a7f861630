/**
 * Maps each byte to the form in which secrets are compared: lower case, and base64 instead of
 * base64url.
 */
export const spelling = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte);
  if (letter === '-') return 0x2b;
  if (letter === '_') return 0x2f;
  return byte < 0x80 ? letter.toLowerCase().charCodeAt(0) : byte;
});

export function spelled(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => spelling[byte] ?? 0));
}
