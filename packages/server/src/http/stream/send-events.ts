import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { dropStalled } from '../connections/drop-stalled.ts';
import { whenClosed } from '../connections/when-closed.ts';
import { type EventSource, followEvents } from './follow-events.ts';

/**
 * Answers with server-sent events, read from their source at the client's pace, so that a slow
 * client delays nothing. The response ends with its source, its client, or the revocation of its key or session; a client
 * that does not read is disconnected. `gone` is then called once.
 */
export function sendEvents(
  reply: FastifyReply,
  source: EventSource,
  shutdown: AbortSignal,
  gone: () => void = () => undefined,
): FastifyReply {
  const closed = new AbortController();
  const end = (): void => closed.abort();
  const revoked = reply.request.rights?.revoked;
  revoked?.addEventListener('abort', end);
  whenClosed(reply, () => {
    end();
    revoked?.removeEventListener('abort', end);
    gone();
  });
  dropStalled(reply, shutdown);
  // A kept-alive connection would delay shutdown.
  const headers = { connection: 'close', 'x-accel-buffering': 'no' };
  return reply
    .type('text/event-stream')
    .headers(headers)
    .send(Readable.from(followEvents(source, closed.signal)));
}
