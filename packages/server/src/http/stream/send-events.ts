import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type EventSource, followed } from './followed.ts';

/** Whoever has not read for so long is not there any more. */
export const stalledMs = 30_000;
/** The same during a stop, which waits for it. */
const stalledInStopMs = 1000;

/**
 * Answers with server-sent events, which are read from their source at the reader's own pace, so that a slow one is behind
 * and holds nothing up. It ends with the source, with its reader, and with the daemon; `gone` is called then, once.
 */
export function sendEvents(
  reply: FastifyReply,
  source: EventSource,
  shutdown: AbortSignal,
  gone: () => void = () => undefined,
): FastifyReply {
  const closed = new AbortController();
  reply.raw.once('close', () => {
    closed.abort();
    gone();
  });
  const drop = (): void => void reply.raw.destroy();
  const stream = Readable.from(whileRead(followed(source, closed.signal), shutdown, drop));
  // A connection that were kept would keep a stop waiting.
  const headers = { connection: 'close', 'x-accel-buffering': 'no' };
  return reply.type('text/event-stream').headers(headers).send(stream);
}

/** Ends with `stalled` when what was handed out is not taken. */
async function* whileRead(
  texts: AsyncGenerator<string>,
  shutdown: AbortSignal,
  stalled: () => void,
): AsyncGenerator<string> {
  for await (const text of texts) {
    let timer = setTimeout(stalled, shutdown.aborted ? stalledInStopMs : stalledMs);
    const hurry = (): void => {
      clearTimeout(timer);
      timer = setTimeout(stalled, stalledInStopMs);
    };
    shutdown.addEventListener('abort', hurry);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
      shutdown.removeEventListener('abort', hurry);
    }
  }
}
