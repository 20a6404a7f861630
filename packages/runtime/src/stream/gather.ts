import { turns } from './turns.ts';

/** Copying in parts: touching a new page of memory costs more than writing to it. */
const partBytes = 256 * 1024;

/** Joins all pieces in a new buffer. Yields to the event loop while it fills a large one. */
export async function gather(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const yieldAfter = turns();
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += partBytes) {
      const part = piece.subarray(from, from + partBytes);
      whole.set(part, at);
      at += part.length;
      await yieldAfter(part.length);
    }
  }
  return whole;
}
