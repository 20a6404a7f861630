const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Which of its bounds a JSON text exceeds, found while its bytes are walked and before anything is built; `undefined`:
 * none. What is not JSON at all is not found here. In UTF-8 none of these bytes is ever part of another character.
 */
export function jsonExcess(
  bytes: Uint8Array,
  { depthMax, valuesMax }: { depthMax: number; valuesMax: number },
): string | undefined {
  let depth = 0;
  let values = 1;
  /** Whether the next byte that is no space tells if the innermost object or array is empty. */
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
      if (++depth > depthMax) return `is nested more than ${depthMax} deep`;
    } else if (closes) depth--;
    else if (byte === quote) at = endOfString(bytes, at);
  }
  return undefined;
}

/** Where the string ends that begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
  return at;
}
