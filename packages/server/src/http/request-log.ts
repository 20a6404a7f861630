import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf, type RequestEnd } from './request-state.ts';

const pathCharactersMax = 200;
const stackCharactersMax = 4000;

/**
 * One line a request, when its answer is made and its client has it, or has gone: never a header, a query or a body. The
 * request's own logger adds its id. `bytes` is the body's length, absent for a stream. Whoever looks on is told as well.
 */
export function logRequests(app: FastifyInstance): void {
  const taken = new WeakSet<FastifyReply>();
  // None of these hooks is asynchronous: every request goes through all of them.
  app.addHook('onResponse', (request, reply, done) => {
    taken.add(reply);
    logRequest(request, reply, {});
    done();
  });
  // The hook above is not called for a client that has gone.
  const made = new WeakMap<FastifyReply, () => void>();
  // Not asynchronous: whoever is refused before routing is refused before anything else of the request is looked at.
  app.addHook('onRequest', (request, reply, done) => {
    const answer = Promise.withResolvers<void>();
    made.set(reply, answer.resolve);
    reply.raw.once('close', () => {
      if (!taken.has(reply)) void answer.promise.then(() => logRequest(request, reply, { clientGone: true }));
    });
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    made.get(reply)?.();
    done(null, payload);
  });
}

function logRequest(request: FastifyRequest, reply: FastifyReply, more: object): void {
  const { actor, ended, is404, observed, routeOptions } = request;
  const length = reply.getHeader('content-length');
  const line = {
    method: request.method,
    path: pathOf(request).slice(0, pathCharactersMax),
    ...(is404 ? {} : { route: routeOptions.url }),
    ...(actor === null ? {} : { key: actor }),
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    ...(length === undefined ? {} : { bytes: Number(length) }),
    ...(observed?.traceId === undefined ? {} : { traceId: observed.traceId }),
    ...describeEnd(ended),
    ...more,
  };
  observed?.ended({
    status: reply.statusCode,
    seconds: reply.elapsedTime / 1000,
    code: ended !== null && 'code' in ended ? ended.code : undefined,
  });
  if (reply.statusCode >= 500) request.log.error(line, 'request');
  else request.log.info(line, 'request');
}

/** How a request ended, as the log has it. */
export function describeEnd(ended: RequestEnd | null): object {
  if (ended === null) return {};
  if (!('code' in ended)) return ended;
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
