import type { FastifyInstance } from 'fastify';

/** Observes requests for metrics and traces. */
export interface RequestObserver {
  /** Called before a request is checked. */
  began(request: BegunRequest): ObservedRequest;
}

interface BegunRequest {
  executionId: string;
  method: string;
  /** Its pattern: `/skills/:id`; `undefined` if no route matches. */
  route: string | undefined;
  /** The W3C Trace Context header; `undefined` if it is absent or repeated. */
  traceparent: string | undefined;
}

/** The observation of one request. */
export interface ObservedRequest {
  /** 32 hex digits; `undefined` if the request is not traced. */
  traceId: string | undefined;
  /** Runs the handler, so that spans inside it are children of this request's span. */
  within(handle: () => void): void;
  /** Called once, when the response is complete and was sent, or the client disconnected. */
  ended(end: EndedRequest): void;
}

interface EndedRequest {
  status: number;
  seconds: number;
  /** The code of the problem; `undefined` for a successful response or a disconnected client. */
  code: string | undefined;
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
