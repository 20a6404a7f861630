import { nextTurn } from './turns.ts';

/** A few milliseconds of work at worst. */
const pieceBytes = 16 * 1024;

/** Splits bytes into pieces and yields to the event loop between them. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0) await nextTurn();
    yield bytes.subarray(from, from + pieceBytes);
  }
}
