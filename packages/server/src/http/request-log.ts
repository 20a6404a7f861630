import type { FastifyInstance } from 'fastify';
import { pathOf, type RequestEnd } from './request-state.ts';

const pathCharactersMax = 200;
const stackCharactersMax = 4000;

/** One line a request, when it is over: never a header, a query or a body. The request's own logger adds its id. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const line = {
      method: request.method,
      path: pathOf(request).slice(0, pathCharactersMax),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      ...describeEnd(request.ended),
    };
    if (reply.statusCode >= 500) request.log.error(line, 'request');
    else request.log.info(line, 'request');
  });
}

function describeEnd(ended: RequestEnd | null): object {
  if (ended === null) return {};
  if ('outcome' in ended) return { outcome: ended.outcome };
  const { code, cause } = ended;
  return cause === undefined ? { code } : { code, err: describeCause(cause) };
}

/** Not the error whole: libraries hang onto theirs what they were given, and that may be an input. */
function describeCause(cause: unknown): object {
  if (!(cause instanceof Error)) return { message: String(cause).slice(0, stackCharactersMax) };
  const { name, stack = cause.message } = cause;
  return {
    type: name,
    ...('code' in cause && { code: cause.code }),
    stack: stack.slice(0, stackCharactersMax),
  };
}
