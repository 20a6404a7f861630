import type { Progress } from '@ambit/core/execute';
import { textDecoder } from '../stream/text-decoder.ts';
import { inPieces } from '../stream/turns.ts';
import { progressLineMax, progressMark, readProgress } from './read-progress.ts';

/** A piece of a log without progress lines, and the last progress in it. */
export interface LogPiece {
  text: string;
  progress: Progress | undefined;
}

/** Removes progress lines from a log in pieces. */
export interface ProgressLines {
  /** Holds back the start of a possible progress line. */
  take(piece: string): LogPiece;
  /** The text held back at the end of the input. */
  rest(): LogPiece;
}

export function progressLines(): ProgressLines {
  let held = '';
  let atLineStart = true;
  return {
    take(piece) {
      let text = '';
      let progress: Progress | undefined;
      const all = held + piece;
      held = '';
      for (let at = 0; at < all.length; ) {
        if (atLineStart && mayBeMarked(all, at)) {
          const end = all.indexOf('\n', at);
          if (end === -1 && all.length - at <= progressLineMax) {
            held = all.slice(at);
            break;
          }
          const found = end === -1 ? undefined : readProgress(all.slice(at, end));
          if (found !== undefined) {
            progress = found;
            at = end + 1;
            continue;
          }
        }
        const next = nextMark(all, at);
        text += all.slice(at, next);
        atLineStart = all[next - 1] === '\n';
        at = next;
      }
      return { text, progress };
    },
    rest() {
      const progress = readProgress(held);
      return { text: progress === undefined ? held : '', progress };
    },
  };
}

/**
 * The recorded log of a run: decoded as UTF-8, without progress lines. If it was truncated, half a
 * character at the end is dropped.
 */
export async function logText(bytes: Uint8Array, wasCut = false): Promise<string> {
  if (bytes.length === 0) return '';
  const [decode, lines] = [textDecoder(), progressLines()];
  let text = '';
  await inPieces(bytes, (piece) => {
    text += lines.take(decode(piece, { stream: true })).text;
  });
  if (!wasCut) text += lines.take(decode(new Uint8Array(), { stream: false })).text;
  return text + lines.rest().text;
}

function mayBeMarked(text: string, at: number): boolean {
  const beginning = text.slice(at, at + progressMark.length);
  return progressMark.startsWith(beginning);
}

/**
 * The start of the next line after `at` that may be a progress line; the end of the text if there
 * is none.
 */
function nextMark(text: string, at: number): number {
  const found = text.indexOf(`\n${progressMark}`, at);
  if (found !== -1) return found + 1;
  const last = text.lastIndexOf('\n') + 1;
  return last > at && mayBeMarked(text, last) ? last : text.length;
}
