import { type Bound, tooLarge } from '../request/body-of.ts';

/**
 * The lines of a body as they arrive, without their ends. Text after the last line break counts as
 * a line unless it is empty. Throws `ANSWER_TOO_LARGE` as soon as a line exceeds the limit.
 */
export async function* lines(body: ReadableStream<Uint8Array>, bound: Bound): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // Searches only new text: a line may have megabytes and arrive in small chunks.
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
    // Closes the connection if the reader stops.
    await reader.cancel().catch(() => undefined);
  }
}
