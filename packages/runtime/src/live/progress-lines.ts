import type { Progress } from '@ambit/core/internal';
import { piecesOf } from '../output/pieces-of.ts';
import { progressLineMax, progressMark, readProgress } from './read-progress.ts';
import { textDecoder } from './text-decoder.ts';

/** What a piece of a log comes to: its text without the lines of progress, and the last of those. */
export interface LogPiece {
  text: string;
  progress: Progress | undefined;
}

/** Takes a log's lines of progress out of it, however it is cut into pieces. */
export interface ProgressLines {
  /** Keeps back the beginning of a line that may be one. */
  take(piece: string): LogPiece;
  /** What was kept back; nothing comes after it. */
  rest(): LogPiece;
}

export function progressLines(): ProgressLines {
  let kept = '';
  let atLineStart = true;
  return {
    take(piece) {
      let text = '';
      let progress: Progress | undefined;
      const all = kept + piece;
      kept = '';
      for (let at = 0; at < all.length; ) {
        if (atLineStart && mayBeMarked(all, at)) {
          const end = all.indexOf('\n', at);
          if (end === -1 && all.length - at <= progressLineMax) {
            kept = all.slice(at);
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
      const progress = readProgress(kept);
      return { text: progress === undefined ? kept : '', progress };
    },
  };
}

/**
 * The log that is kept of what a run wrote: UTF-8, as far as it is, and without the lines of progress. Of a stream that was cut off
 * half a character at its end is left out.
 */
export async function logText(bytes: Uint8Array, wasCut = false): Promise<string> {
  const [decode, lines] = [textDecoder(), progressLines()];
  let text = '';
  for await (const piece of piecesOf(bytes)) text += lines.take(decode(piece, { stream: true })).text;
  if (!wasCut) text += lines.take(decode(new Uint8Array(), { stream: false })).text;
  return text + lines.rest().text;
}

function mayBeMarked(text: string, at: number): boolean {
  const beginning = text.slice(at, at + progressMark.length);
  return progressMark.startsWith(beginning);
}

/** Where after `at` the next line begins that may be marked; the text's end when none does. */
function nextMark(text: string, at: number): number {
  const found = text.indexOf(`\n${progressMark}`, at);
  if (found !== -1) return found + 1;
  const last = text.lastIndexOf('\n') + 1;
  return last > at && mayBeMarked(text, last) ? last : text.length;
}
