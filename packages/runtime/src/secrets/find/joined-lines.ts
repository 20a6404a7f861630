import { editing, type Reading } from './reading.ts';

/** A line that ends with this many base64 characters continues on the next line. */
const lineMin = 32;
const indentMax = 16;
const [tab, newline, carriageReturn, space] = [0x09, 0x0a, 0x0d, 0x20];

const ofBase64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9+/=_-]/.test(String.fromCharCode(byte))),
);

/**
 * The text without line breaks inside base64 or hexadecimal, or `undefined` if it has none.
 * `runBefore`: the number of base64 characters directly before the text.
 */
export function joinedLines(text: Reading, runBefore: number, isEnd: boolean): Reading | undefined {
  const { bytes } = text;
  const last = bytes.length - 1;
  const joined = editing(bytes);
  let isJoined = false;
  const leaveOut = (from: number, to: number): void => {
    isJoined = true;
    joined.copy(from);
    joined.replace(to, []);
  };
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    const begin = bytes[at - 1] === carriageReturn ? at - 1 : at;
    if (base64Run(bytes, begin, runBefore) < lineMin) continue;
    let end = at + 1;
    while (end - at <= indentMax && (bytes[end] === space || bytes[end] === tab)) end++;
    leaveOut(begin, end);
  }
  // The newline may be in the next chunk.
  if (!isEnd && bytes[last] === carriageReturn && base64Run(bytes, last, runBefore) >= lineMin) {
    leaveOut(last, last + 1);
  }
  if (!isJoined) return undefined;
  joined.copy(bytes.length);
  const reading = joined.done();
  return {
    bytes: reading.bytes,
    from: (index) => text.from(reading.from(index)),
    to: (index) => text.to(reading.to(index) - 1),
    end: text.end,
  };
}

/** Number of base64 characters directly before `at`, counted up to the length of a long line. */
export function base64Run(bytes: Buffer, at: number, runBefore: number): number {
  let first = at;
  while (first > 0 && at - first < lineMin && ofBase64[bytes[first - 1] ?? 0] === 1) first--;
  return Math.min(lineMin, at - first + (first === 0 ? runBefore : 0));
}
