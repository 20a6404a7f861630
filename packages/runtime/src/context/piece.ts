/** What was read of one source, before it is fitted into what is left of the whole. */
export type Piece =
  /** As much as may be read of a text; `totalBytes` is what there is. `note` says what it leaves out by itself. */
  | { kind: 'text'; bytes: Uint8Array; totalBytes: number; note?: string }
  /** Named and not shown. */
  | { kind: 'named'; note: string };

/** Of something that is not there, and need not be. */
export const nothing: Piece = { kind: 'text', bytes: new Uint8Array(), totalBytes: 0 };

/** A piece as it stands in a prompt. */
export interface Fitted {
  text: string;
  note?: string;
}

/** Cuts a piece to `bytesLeft`, at the end of a line where there is one, and notes what is left out. */
export function fitPiece(piece: Piece, bytesLeft: number): Fitted {
  if (piece.kind === 'named') return { text: '', note: piece.note };
  const { bytes, totalBytes, note } = piece;
  if (bytes.length >= totalBytes && bytes.length <= bytesLeft) return withNotes(decoded(bytes), [note]);
  const shown = wholeLines(bytes.subarray(0, bytesLeft));
  return withNotes(decoded(shown), [note, `cut: these are the first ${shown.length} of ${totalBytes} bytes`]);
}

function withNotes(text: string, notes: readonly (string | undefined)[]): Fitted {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? { text } : { text, note: said.join('; ') };
}

function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(lineFeed) + 1;
  if (end > 0) return bytes.subarray(0, end);
  // One long line: not within a character, whose bytes after its first are 10xxxxxx.
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return decodes(bytes) ? bytes : bytes.subarray(0, Math.max(0, start));
}

const lineFeed = 10;

function decodes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
