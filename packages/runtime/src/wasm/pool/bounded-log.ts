/**
 * Keeps what a call logs, up to `bytesMax`, and hands on each part of it as it comes. The host bounds it as well; but what
 * is inside may have got hold of the host.
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
      // A copy: the piece is a part of something larger.
      const part = Uint8Array.from(piece.subarray(0, left));
      pieces.push(part);
      left -= part.length;
      onPart(part);
    },
    bytes: () => Buffer.concat(pieces),
  };
}
