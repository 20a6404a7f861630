import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { dropStalled } from './drop-stalled.ts';
import { type EventSource, followed } from './followed.ts';
import { whenClosed } from './when-closed.ts';

/**
 * Answers with server-sent events, which are read from their source at the reader's own pace, so that a slow one is behind
 * and holds nothing up. It ends with the source and with its reader, who is dropped when it does not read; `gone` is called
 * then, once.
 */
export function sendEvents(
  reply: FastifyReply,
  source: EventSource,
  shutdown: AbortSignal,
  gone: () => void = () => undefined,
): FastifyReply {
  const closed = new AbortController();
  whenClosed(reply, () => {
    closed.abort();
    gone();
  });
  dropStalled(reply, shutdown);
  // A connection that were kept would keep a stop waiting.
  const headers = { connection: 'close', 'x-accel-buffering': 'no' };
  return reply
    .type('text/event-stream')
    .headers(headers)
    .send(Readable.from(followed(source, closed.signal)));
}
