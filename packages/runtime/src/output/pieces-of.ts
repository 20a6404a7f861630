import { nextTurn } from './turns.ts';

/** Some milliseconds at the worst that is done with them. */
const pieceBytes = 16 * 1024;

/** Bytes in pieces, between which others have their turns. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0) await nextTurn();
    yield bytes.subarray(from, from + pieceBytes);
  }
}
