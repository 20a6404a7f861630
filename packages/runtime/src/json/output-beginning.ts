/** Enough to recognize a line of a log, a warning or a page of HTML. */
const beginningBytes = 80;

/** The first bytes of an output that is not what it should be, for a message: `; it begins with "Hello"`. */
export function outputBeginning(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, beginningBytes))
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `; it begins with ${JSON.stringify(text)}${bytes.length > beginningBytes ? '…' : ''}`;
}
