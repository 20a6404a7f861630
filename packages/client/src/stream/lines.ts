import { type Bound, tooLarge } from '../request/body-of.ts';

/**
 * The lines of a body as they come, without their ends. What follows the last line break is one too, unless it is empty.
 * Throws `ANSWER_TOO_LARGE` for one that is longer than the bound, as soon as it is.
 */
export async function* lines(body: ReadableStream<Uint8Array>, bound: Bound): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // Only what is new is looked through: a line may be megabytes, and come in small pieces.
      const parts = decoder.decode(value, { stream: !done }).split('\n');
      const last = parts.pop() ?? '';
      for (const part of parts) {
        const line = rest + part;
        rest = '';
        yield line.endsWith('\r') ? line.slice(0, -1) : line;
      }
      rest += last;
      if (rest.length > bound.bytesMax) throw tooLarge(bound);
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    // Whoever stops reading has the connection closed.
    await reader.cancel().catch(() => undefined);
  }
}
