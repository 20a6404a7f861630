/** Where events come from. */
export interface EventSource {
  /** The text of what there is and has not been handed out, `''` for nothing yet; `isOver`: nothing comes after it. */
  next(): Promise<{ text: string; isOver: boolean }> | { text: string; isOver: boolean };
  /** Calls `news` when there may be more. Returns what ends it. */
  watch(news: () => void): () => void;
  /** Whether the reader may still have it. */
  holds(): boolean;
}

/** So often something is said, whether anything happened or not. */
const beatMs = 15_000;
const beatText = ':\n\n';
const beginText = ': following\n\n';

/** All that a source has, as it comes. A comment goes first: the headers go out with the first bytes, and somebody waits for them. */
export async function* followed(
  { next, watch, holds }: EventSource,
  ended: AbortSignal,
): AsyncGenerator<string> {
  let woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  ended.addEventListener('abort', wake);
  const stop = watch(wake);
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
