import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** Makes a span of each request, below the caller's where that sent a `traceparent` that can be read. */
export interface RequestSpans {
  began(request: TracedRequest): RequestSpan;
}

interface TracedRequest {
  executionId: string;
  method: string;
  route: string | undefined;
  traceparent: string | undefined;
}

interface RequestSpan {
  /** 32 hex digits. */
  traceId: string;
  within(handle: () => void): void;
  /** `code` is the problem's, for a request that was refused. */
  ended(end: { status: number; code: string | undefined }): void;
}

/** Those of the semantic conventions; every other is `_OTHER`. */
const knownMethods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  'QUERY',
]);

export function requestSpans(
  tracer: Tracer,
  within: (context: Context, work: () => void) => void,
): RequestSpans {
  const propagator = new W3CTraceContextPropagator();
  return {
    began({ executionId, method, route, traceparent }) {
      const caller = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      const known = knownMethods.has(method) ? method : undefined;
      const attributes = {
        'http.request.method': known ?? '_OTHER',
        // Not `url.path`: where no route is, a path is whatever a caller wrote.
        ...(route === undefined ? {} : { 'http.route': route }),
        'ambit.execution.id': executionId,
      };
      const name = [known ?? 'HTTP', ...(route === undefined ? [] : [route])].join(' ');
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
      const context = trace.setSpan(caller, span);
      return {
        traceId: span.spanContext().traceId,
        within: (handle) => within(context, handle),
        ended({ status, code }) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 400) span.setAttribute('error.type', code ?? String(status));
          // What a caller did wrong is no error of this side.
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}
