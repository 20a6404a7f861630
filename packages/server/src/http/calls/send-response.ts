import type { FastifyReply } from 'fastify';
import type { JobResponse } from '../../jobs/job-response.ts';
import { problemMediaType } from '../problem/problem.ts';
import { eventBytes } from '../stream/followed.ts';

/** Sends the bytes of a response. With `asEvent`, sends them as the only event of a stream. */
export function sendResponse(
  reply: FastifyReply,
  { kind, status, headers, body }: JobResponse,
  asEvent: boolean,
): FastifyReply {
  if (asEvent)
    return reply.type('text/event-stream').send(eventBytes({ id: 1, name: kind, data: body.bytes }));
  const type = kind === 'result' ? 'application/json; charset=utf-8' : `${problemMediaType}; charset=utf-8`;
  return reply.code(status).headers(headers).type(type).send(body.bytes);
}
