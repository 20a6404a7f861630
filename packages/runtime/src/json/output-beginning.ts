/** Enough to recognize a log line, a warning or an HTML page. */
const beginningBytes = 80;

/** The first bytes of an invalid output, for a message: `; it begins with "Hello"`. */
export function outputBeginning(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, beginningBytes))
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `; it begins with ${JSON.stringify(text)}${bytes.length > beginningBytes ? '…' : ''}`;
}
