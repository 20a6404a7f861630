/** Some events in the wire format; `isOver`: they are the last. */
interface EventPiece {
  text: string | Uint8Array;
  isOver: boolean;
}

/** A source of events. */
export interface EventSource {
  /**
   * The text of the events since the last call, `''` if there are none yet; `isOver`: there will be
   * no more.
   */
  next(): Promise<EventPiece> | EventPiece;
  /** Calls `news` when there may be more. Returns the function that unsubscribes. */
  subscribe(news: () => void): () => void;
  /** Whether the reader may still receive events. */
  holds(): boolean;
}

/** A comment is sent at this interval when there are no events. */
const beatMs = 15_000;
const beatText = ':\n\n';
const beginText = ': following\n\n';

/**
 * All events of a source. Starts with a comment: headers are sent with the first bytes, and clients
 * wait for them.
 */
export async function* followEvents(
  { next, subscribe, holds }: EventSource,
  ended: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  let woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  ended.addEventListener('abort', wake);
  const stop = subscribe(wake);
  try {
    yield beginText;
    while (!ended.aborted && holds()) {
      woken = Promise.withResolvers();
      const { text, isOver } = await next();
      if (text !== '') yield text;
      if (isOver) return;
      if (text !== '') continue;
      let isSilent = false;
      const beat = setTimeout(() => {
        isSilent = true;
        wake();
      }, beatMs);
      await woken.promise;
      clearTimeout(beat);
      if (isSilent) yield beatText;
    }
  } finally {
    stop();
    ended.removeEventListener('abort', wake);
  }
}

/** One event in the wire format; `data` is one line. */
export function eventText({ id, name, data }: { id: number | string; name: string; data: string }): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

/** The same for `data` in bytes. */
export function eventBytes({ id, name, data }: { id: number; name: string; data: Uint8Array }): Uint8Array {
  return Buffer.concat([Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), data, Buffer.from('\n\n')]);
}
