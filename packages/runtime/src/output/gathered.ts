import { turns } from './turns.ts';

/** A new page of memory costs more than what is written to it. */
const copiedAtOnce = 256 * 1024;

/** All pieces in a buffer of its own. Others have their turns while a large one is filled. */
export async function gathered(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const rest = turns();
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += copiedAtOnce) {
      const part = piece.subarray(from, from + copiedAtOnce);
      whole.set(part, at);
      at += part.length;
      await rest(part.length);
    }
  }
  return whole;
}
