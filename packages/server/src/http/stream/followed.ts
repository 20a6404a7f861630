/** Some events as they are sent; `isOver`: they are the last. */
interface EventPiece {
  text: string | Uint8Array;
  isOver: boolean;
}

/** Where events come from. */
export interface EventSource {
  /** The text of what there is and has not been handed out, `''` for nothing yet; `isOver`: nothing comes after it. */
  next(): Promise<EventPiece> | EventPiece;
  /** Calls `news` when there may be more. Returns what ends it. */
  subscribe(news: () => void): () => void;
  /** Whether the reader may still have it. */
  holds(): boolean;
}

/** So often something is said, whether anything happened or not. */
const beatMs = 15_000;
const beatText = ':\n\n';
const beginText = ': following\n\n';

/** All that a source has, as it comes. A comment goes first: the headers go out with the first bytes, and somebody waits for them. */
export async function* followed(
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

/** One event as it is sent; `data` is one line. */
export function eventText({ id, name, data }: { id: number; name: string; data: string }): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

/** The same of one whose data is bytes. */
export function eventBytes({ id, name, data }: { id: number; name: string; data: Uint8Array }): Uint8Array {
  return Buffer.concat([Buffer.from(`id: ${id}\nevent: ${name}\ndata: `), data, Buffer.from('\n\n')]);
}
