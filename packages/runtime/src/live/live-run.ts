import type { RunObserver } from '@ambit/core/internal';
import type { StreamRedactor } from '../egress/secrets/secret-redactor.ts';
import { type LogPiece, type ProgressLines, progressLines } from './progress-lines.ts';
import { textDecoder } from './text-decoder.ts';

/** The streams of a run that can be watched. */
export type LiveKind = 'stdout' | 'stderr' | 'log';

/** What a run writes, on its way to whoever watches. */
export interface LiveRun {
  /** Bytes of a stream, within its bound. They must not change afterwards. */
  add(kind: LiveKind, bytes: Uint8Array): void;
  /**
   * Tells what was held back; nothing is told afterwards. Of streams that were cut off what may be the beginning of a secret is
   * left out.
   */
  end(wasCut?: boolean): void;
}

/** However little a run writes at a time, its onEvent is told of each stream at most so often. */
const tickMs = 50;
/** What more waits is told before its time: all of it is looked at in one go. */
const waitingBytesMax = 256 * 1024;
/** Of one text that is told: a onEvent that keeps the latest of them keeps some of what was written at once. */
const charactersMax = 16_384;

/**
 * Tells `onEvent` what a run writes while it runs. Joined, the texts of a stream are what the `Execution` has of it in the
 * end: secrets are redacted by `redactor`, where there are any, across the borders of pieces, no character is broken, and lines of progress are taken
 * out of stderr and log. Of the progress within a tick the latest is told.
 */
export function liveRun(onEvent: RunObserver, redactor = nothingToRedact): LiveRun {
  const channels = new Map<LiveKind, Channel>();
  const waiting = new Map<LiveKind, Uint8Array[]>();
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let isOver = false;

  const tellWaiting = (): void => {
    timer = undefined;
    toldAt = performance.now();
    for (const [kind, pieces] of waiting) {
      const channel = channels.get(kind) ?? openChannel(kind, redactor);
      channels.set(kind, channel);
      tell(onEvent, kind, channel.take(Buffer.concat(pieces)));
    }
    waiting.clear();
    waitingBytes = 0;
  };

  return {
    add(kind, bytes) {
      const pieces = waiting.get(kind);
      if (pieces === undefined) waiting.set(kind, [bytes]);
      else pieces.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > waitingBytesMax) {
        clearTimeout(timer);
        tellWaiting();
      } else timer ??= setTimeout(tellWaiting, Math.max(0, toldAt + tickMs - performance.now()));
    },
    end(wasCut = false) {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      tellWaiting();
      for (const [kind, channel] of channels) tell(onEvent, kind, channel.rest(wasCut));
      channels.clear();
    },
  };
}

function nothingToRedact(): StreamRedactor {
  return { take: (piece) => piece, rest: () => new Uint8Array(), settled: () => new Uint8Array() };
}

interface Channel {
  take(bytes: Uint8Array): LogPiece;
  rest(wasCut: boolean): LogPiece;
}

function openChannel(kind: LiveKind, makeRedactor: () => StreamRedactor): Channel {
  const [redactor, decode] = [makeRedactor(), textDecoder()];
  const { take, rest } = kind === 'stdout' ? plain : redactedLines(makeRedactor());
  return {
    take: (bytes) => take(decode(redactor.take(bytes), { stream: true })),
    rest(wasCut) {
      // A character that was cut off is left out, too.
      const last = take(decode(wasCut ? redactor.settled() : redactor.rest(), { stream: wasCut }));
      const kept = rest();
      return { text: last.text + kept.text, progress: kept.progress ?? last.progress };
    },
  };
}

/** Text without its lines of progress; a secret that one stood in the middle of is redacted once that is taken out. */
function redactedLines(redactor: StreamRedactor): ProgressLines {
  const { take, rest } = progressLines();
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const redacted = (text: string): string => utf8.decode(redactor.take(Buffer.from(text)), { stream: true });
  return {
    take(piece) {
      const { text, progress } = take(piece);
      return { text: redacted(text), progress };
    },
    rest() {
      const { text, progress } = rest();
      return { text: redacted(text) + utf8.decode(redactor.rest()), progress };
    },
  };
}

const plain = {
  take: (text: string): LogPiece => ({ text, progress: undefined }),
  rest: (): LogPiece => ({ text: '', progress: undefined }),
};

function tell(onEvent: RunObserver, kind: LiveKind, { text, progress }: LogPiece): void {
  for (const part of inParts(text)) onEvent({ kind, text: part });
  if (progress !== undefined) onEvent(progress);
}

function* inParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + charactersMax;
    // Not between the halves of one character.
    const next = /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}
