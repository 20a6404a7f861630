/** The text from one source, before it is cut to the remaining space. */
export type Piece =
  /**
   * The text up to the limit; `totalBytes` is the full size. `note` reports what the source itself
   * left out.
   */
  | { kind: 'text'; bytes: Uint8Array; totalBytes: number; note?: string | undefined }
  /** Mentioned without content. */
  | { kind: 'named'; note: string };

/** For an optional source that does not exist. */
export const nothing: Piece = { kind: 'text', bytes: new Uint8Array(), totalBytes: 0 };

/** A piece for a prompt. */
export interface FittedPiece {
  text: string;
  note?: string;
}

/** Cuts a piece to `bytesLeft`, at the end of a line if possible, and notes what is missing. */
export function fitPiece(piece: Piece, bytesLeft: number): FittedPiece {
  if (piece.kind === 'named') return { text: '', note: piece.note };
  const { bytes, totalBytes, note } = piece;
  if (bytes.length >= totalBytes && bytes.length <= bytesLeft) return withNotes(decoded(bytes), [note]);
  const shown = wholeLines(bytes.subarray(0, bytesLeft));
  return withNotes(decoded(shown), [note, `truncated: the first ${shown.length} of ${totalBytes} bytes`]);
}

function withNotes(text: string, notes: readonly (string | undefined)[]): FittedPiece {
  const present = notes.filter((note) => note !== undefined);
  return present.length === 0 ? { text } : { text, note: present.join('; ') };
}

function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(lineFeed) + 1;
  if (end > 0) return bytes.subarray(0, end);
  // A single long line: do not split a character, whose bytes after the first are 10xxxxxx.
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
