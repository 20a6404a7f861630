import { spelling } from './spelling.ts';

/**
 * Continues a match whose first `known` bytes are at `at`. Reports where each occurrence of the
 * needle begins, as long as one begins within another, and returns the place before which every
 * occurrence was found. Time is linear in the bytes, for any bytes and any needle (Knuth, Morris
 * and Pratt).
 */
export type Follow = (bytes: Buffer, at: number, found: (from: number) => void) => number;

export function follow(wanted: Buffer, known: number): Follow {
  let borders: Int32Array | undefined;
  return (bytes, at, found) => {
    borders ??= bordersOf(wanted);
    let matched = known;
    let next = at + matched;
    while (matched >= known) {
      if (matched === wanted.length) {
        found(next - matched);
        matched = borders[matched] ?? 0;
      } else if (next === bytes.length) break;
      else if (spelling[bytes[next] ?? 0] === wanted[matched]) {
        matched++;
        next++;
      } else matched = borders[matched] ?? 0;
    }
    return next - matched;
  };
}

/** By the number of bytes: the length of the longest proper beginning that is also their end. */
function bordersOf(wanted: Buffer): Int32Array {
  const borders = new Int32Array(wanted.length + 1);
  for (let length = 2; length <= wanted.length; length++) {
    const byte = wanted[length - 1];
    let border = borders[length - 1] ?? 0;
    while (border > 0 && wanted[border] !== byte) border = borders[border] ?? 0;
    borders[length] = wanted[border] === byte ? border + 1 : 0;
  }
  return borders;
}
