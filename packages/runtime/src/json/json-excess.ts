const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The bound that a JSON text exceeds, found by scanning its bytes before anything is built;
 * `undefined`: none. It does not detect invalid JSON. In UTF-8, these bytes are never part of
 * another character.
 */
export function jsonExcess(
  bytes: Uint8Array,
  { depthMax, valuesMax }: { depthMax: number; valuesMax: number },
): string | undefined {
  let depth = 0;
  let values = 1;
  /** Whether the next non-space byte decides if the innermost object or array is empty. */
  let opened = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20) continue;
    const opens = byte === openBracket || byte === openBrace;
    const closes = byte === closeBracket || byte === closeBrace;
    if (byte === comma || (opened && !closes)) {
      if (++values > valuesMax) return `has more than ${valuesMax} values`;
    }
    opened = opens;
    if (opens) {
      if (++depth > depthMax) return `is nested more than ${depthMax} levels deep`;
    } else if (closes) depth--;
    else if (byte === quote) at = endOfString(bytes, at);
  }
  return undefined;
}

/** The position of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
  return at;
}
