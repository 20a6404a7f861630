import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { dropStalled } from '../connections/drop-stalled.ts';
import { whenClosed } from '../connections/when-closed.ts';
import { type EventSource, followed } from './followed.ts';

/**
 * Answers with server-sent events, read from their source at the client's pace, so that a slow
 * client delays nothing. The response ends with its source or its client; a client that does not
 * read is disconnected. `gone` is then called once.
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
  // A kept-alive connection would delay shutdown.
  const headers = { connection: 'close', 'x-accel-buffering': 'no' };
  return reply
    .type('text/event-stream')
    .headers(headers)
    .send(Readable.from(followed(source, closed.signal)));
}
