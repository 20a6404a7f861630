import type { RunObserver } from '@ambit/core/execute';
import type { StreamRedactor } from '../secrets/secret-redactor.ts';
import { textDecoder } from '../stream/text-decoder.ts';
import { type LogPiece, type ProgressLines, progressLines } from './progress-lines.ts';

/** The streams of a run that can be observed. */
export type LiveKind = 'stdout' | 'stderr' | 'log';

/** Passes a run's output to an observer. */
export interface LiveRun {
  /** Adds bytes of a stream, within its limit. They must not change afterwards. */
  add(kind: LiveKind, bytes: Uint8Array): void;
  /**
   * Emits what was held back; later calls have no effect. If output was truncated, drops an end
   * that may be the start of a secret.
   */
  end(wasCut?: boolean): void;
}

/** The shortest interval between events of a stream. */
const tickMs = 50;
/**
 * Above this, events are emitted before the interval ends, because all pending bytes are processed
 * together.
 */
const pendingBytesMax = 256 * 1024;
/** Above this, output without a reader is no longer held. */
const heldBytesMax = 256 * 1024;
/**
 * The longest text of an event. An observer that stores the latest events then still has part of a
 * large output.
 */
const charactersMax = 16_384;

/**
 * Emits a run's output while it runs. The joined texts of a stream equal the recorded output:
 * secrets are redacted across pieces, characters stay whole, and progress lines are removed from
 * stderr and log. Of the progress within an interval, only the latest is emitted.
 *
 * For an observer without a reader, output is only held, which costs next to nothing: the run holds the same bytes. A
 * reader that comes after `heldBytesMax` gets none of it: redaction needs a stream from its start.
 */
export function liveRun(onEvent: RunObserver, redactor = nothingToRedact): LiveRun {
  const channels = new Map<LiveKind, Channel>();
  const pending = new Map<LiveKind, Uint8Array[]>();
  let pendingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let emittedAt = Number.NEGATIVE_INFINITY;
  let hasEnded = false;
  let isRead = onEvent.whenRead === undefined;

  const emitPending = (): void => {
    timer = undefined;
    emittedAt = performance.now();
    for (const [kind, pieces] of pending) {
      const channel = channels.get(kind) ?? openChannel(kind, redactor);
      channels.set(kind, channel);
      emit(onEvent, kind, channel.take(Buffer.concat(pieces)));
    }
    pending.clear();
    pendingBytes = 0;
  };

  const drop = (): void => {
    hasEnded = true;
    pending.clear();
  };

  onEvent.whenRead?.(() => {
    if (hasEnded || isRead) return;
    isRead = true;
    emitPending();
  });

  return {
    add(kind, bytes) {
      if (hasEnded) return;
      const pieces = pending.get(kind);
      if (pieces === undefined) pending.set(kind, [bytes]);
      else pieces.push(bytes);
      pendingBytes += bytes.length;
      if (!isRead) {
        if (pendingBytes > heldBytesMax) drop();
        return;
      }
      if (pendingBytes > pendingBytesMax) {
        clearTimeout(timer);
        emitPending();
      } else timer ??= setTimeout(emitPending, Math.max(0, emittedAt + tickMs - performance.now()));
    },
    end(wasCut = false) {
      if (hasEnded) return;
      if (!isRead) return drop();
      hasEnded = true;
      clearTimeout(timer);
      emitPending();
      for (const [kind, channel] of channels) emit(onEvent, kind, channel.rest(wasCut));
      channels.clear();
    },
  };
}

function nothingToRedact(): StreamRedactor {
  return { take: (piece) => piece, rest: () => new Uint8Array(), cut: () => new Uint8Array() };
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
      // Drops a truncated character too.
      const last = take(decode(wasCut ? redactor.cut() : redactor.rest(), { stream: wasCut }));
      const held = rest();
      return { text: last.text + held.text, progress: held.progress ?? last.progress };
    },
  };
}

/**
 * Text without progress lines. A secret that a progress line interrupts is redacted after that line
 * is removed.
 */
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

function emit(onEvent: RunObserver, kind: LiveKind, { text, progress }: LogPiece): void {
  for (const part of inParts(text)) onEvent({ kind, text: part });
  if (progress !== undefined) onEvent(progress);
}

function* inParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + charactersMax;
    // Not between the two halves of a character.
    const next = /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}
