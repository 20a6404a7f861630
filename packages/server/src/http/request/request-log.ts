import { redactShapes } from '@ambit/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Eventual, eventual } from '../../jobs/eventual.ts';
import type { RequestObserver } from '../route/app-deps.ts';
import { describeEnd, pathOf } from '../route/request-state.ts';

const pathCharactersMax = 200;

/**
 * Logs one line per request, when its response was sent or its client disconnected: never a header,
 * a query or a body. A key in the path is redacted. The request's logger adds its id. `bytes` is the body's length, absent for a
 * stream. Also reports the end to the observer.
 */
export function logRequests(app: FastifyInstance): void {
  const taken = new WeakSet<FastifyReply>();
  // These hooks are synchronous because every request runs all of them.
  app.addHook('onResponse', (request, reply, done) => {
    taken.add(reply);
    logRequest(request, reply, {});
    done();
  });
  // `onResponse` is not called for a client that disconnected.
  const made = new WeakMap<FastifyReply, Eventual<void>>();
  // Synchronous: a request that is refused before routing must not get further.
  app.addHook('onRequest', (request, reply, done) => {
    const answer = eventual<void>();
    made.set(reply, answer);
    reply.raw.once('close', () => {
      if (!taken.has(reply))
        void answer.promise().then(() => logRequest(request, reply, { clientGone: true }));
    });
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    made.get(reply)?.resolve();
    done(null, payload);
  });
}

function logRequest(request: FastifyRequest, reply: FastifyReply, more: object): void {
  const { actor, ended, is404, observed, routeOptions } = request;
  const length = reply.getHeader('content-length');
  const line = {
    method: request.method,
    path: redactShapes(pathOf(request)).slice(0, pathCharactersMax),
    route: is404 ? undefined : routeOptions.url,
    key: actor ?? undefined,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    bytes: length === undefined ? undefined : Number(length),
    traceId: observed?.traceId,
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

/** Has `observer` observe every request; `logRequests` reports their ends. */
export function observeRequests(app: FastifyInstance, observer: RequestObserver): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { id: executionId, method, is404, routeOptions, headers } = request;
    const { traceparent } = headers;
    request.observed = observer.began({
      executionId,
      method,
      route: is404 ? undefined : routeOptions.url,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    });
    done();
  });
  // Not earlier: reading the body loses the async context that was active before.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.observed === null) done();
    else request.observed.within(done);
  });
}
