/** The source of a decoded byte: its beginning and end in the bytes that were decoded. */
export interface DecodedFrom {
  from(index: number): number;
  to(index: number): number;
}

interface Encoding {
  name: 'base64' | 'hex';
  isPart: Uint8Array;
  /** Bits in a character, and how many characters may precede the first whole byte. */
  bits: number;
  shifts: number;
}

/** `base64` is also base64url. Without padding, which only ends a run. */
const encodings: readonly Encoding[] = [
  { name: 'base64', isPart: characters(/[A-Za-z0-9+/_-]/), bits: 6, shifts: 4 },
  { name: 'hex', isPart: characters(/[A-Fa-f0-9]/), bits: 4, shifts: 2 },
];

/**
 * Reports what each run of base64 or hexadecimal characters decodes to, from each character on at
 * which a byte may begin. Leaves out runs that decode to fewer than `bytesMin` bytes.
 */
export function decodedRuns(
  bytes: Buffer,
  bytesMin: number,
  found: (decoded: Buffer, source: DecodedFrom) => void,
): void {
  for (const { name, isPart, bits, shifts } of encodings)
    forEachRun(bytes, isPart, Math.ceil((bytesMin * 8) / bits), (begin, end) => {
      const text = bytes.toString('latin1', begin, end);
      for (let shift = 0; shift < shifts; shift++) {
        const start = begin + shift;
        found(Buffer.from(shift === 0 ? text : text.slice(shift), name), {
          from: (index) => start + Math.floor((index * 8) / bits),
          to: (index) => start + Math.ceil(((index + 1) * 8) / bits),
        });
      }
    });
}

/** Reports each run of at least `min` such bytes. Reads only every `min`th byte outside of runs. */
function forEachRun(
  bytes: Buffer,
  isPart: Uint8Array,
  min: number,
  found: (begin: number, end: number) => void,
): void {
  let searched = 0;
  for (let at = min - 1; at < bytes.length; ) {
    let [begin, end] = [at, at];
    while (isPart[bytes[end] ?? 0] === 1) end++;
    if (end > at) while (begin > searched && isPart[bytes[begin - 1] ?? 0] === 1) begin--;
    if (end - begin >= min) found(begin, end);
    searched = end;
    at = end + min;
  }
}

function characters(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(pattern.test(String.fromCharCode(byte))));
}
