/**
 * Collects a call's log, up to `bytesMax`, and forwards each part. The host enforces the same
 * limit, but a skill may have taken over the host.
 */
export function boundedLog(
  bytesMax: number,
  onPart: (part: Uint8Array) => void,
): { add(piece: Uint8Array): void; bytes(): Uint8Array } {
  const pieces: Uint8Array[] = [];
  let left = bytesMax;
  return {
    add(piece) {
      if (left === 0) return;
      // A copy: the piece is a view of a larger buffer.
      const part = Uint8Array.from(piece.subarray(0, left));
      pieces.push(part);
      left -= part.length;
      onPart(part);
    },
    bytes: () => Buffer.concat(pieces),
  };
}
