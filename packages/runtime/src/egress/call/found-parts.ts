/** Finds all parts of `bytes` that equal one of `needles`. Matches may overlap. */
export function foundParts(
  bytes: Buffer,
  needles: readonly Buffer[],
): { start: number; end: number; needle: Buffer }[] {
  return needles.flatMap((needle) => {
    const found: { start: number; end: number; needle: Buffer }[] = [];
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
      found.push({ start: at, end: at + needle.length, needle });
    }
    return found;
  });
}

/** The number of bytes at the end that may be the start of a needle continued in the next chunk. */
export function partialMatchBytes(bytes: Buffer, needles: readonly Buffer[]): number {
  let longest = 0;
  for (const needle of needles) {
    const first = needle[0] ?? 0;
    const from = Math.max(0, bytes.length - needle.length + 1);
    for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
      const rest = bytes.length - at;
      if (rest <= longest) break;
      if (bytes.compare(needle, 0, rest, at) === 0) longest = rest;
    }
  }
  return longest;
}
