import type { FastifyReply } from 'fastify';
import type { Ending } from '../../executions/ending.ts';
import { problemMediaType } from '../problem/problem.ts';
import { dropStalled } from '../stream/drop-stalled.ts';
import { eventText } from '../stream/followed.ts';

const takenCharacters = 16_384;

/** Answers with what a call came to, in the very bytes; `asEvent`: as the one event of a stream. */
export function sendEnding(
  reply: FastifyReply,
  { kind, status, headers, text }: Ending,
  asEvent: boolean,
  shutdown: AbortSignal,
): FastifyReply {
  // Less than this the system takes, whether its client reads or not.
  if (text.length > takenCharacters) dropStalled(reply, shutdown);
  if (asEvent) return reply.type('text/event-stream').send(eventText({ id: 1, name: kind, data: text }));
  const type = kind === 'result' ? 'application/json; charset=utf-8' : problemMediaType;
  return reply.code(status).headers(headers).type(type).send(text);
}
