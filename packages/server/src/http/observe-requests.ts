import type { FastifyInstance } from 'fastify';

/** Looks on at requests, whatever becomes of them: what is measured of each, and the trace that it belongs to. */
export interface RequestObserver {
  /** Told before anything is decided of a request. */
  began(request: BegunRequest): ObservedRequest;
}

interface BegunRequest {
  executionId: string;
  method: string;
  /** Its pattern: `/skills/:id`; `undefined` where there is none. */
  route: string | undefined;
  /** The header of W3C Trace Context, as it came; `undefined`: it did not, or more than once. */
  traceparent: string | undefined;
}

/** One request, to whoever looks on. */
export interface ObservedRequest {
  /** 32 hex digits; `undefined`: it is not traced. */
  traceId: string | undefined;
  /** Runs what handles it, so that what is traced in there hangs from it. */
  within(handle: () => void): void;
  /** Told once, when the answer is made and its client has it or has gone. */
  ended(end: EndedRequest): void;
}

interface EndedRequest {
  status: number;
  seconds: number;
  /** The problem's; `undefined` where it was answered, or its client went away. */
  code: string | undefined;
}

/** Has `observer` look on at every request; `logRequests` tells it of their ends. */
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
  // Not earlier: reading a body leaves behind whatever it was begun in.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.observed === null) done();
    else request.observed.within(done);
  });
}
