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

/** Creates a span for each request, as a child of the caller's if it sent a valid `traceparent`. */
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
  /** `code` is the code of a refusal. */
  ended(end: { status: number; code: string | undefined }): void;
}

/** The methods of the semantic conventions; any other is `_OTHER`. */
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
        // Not `url.path`: an unrouted path is arbitrary text from the caller.
        'http.route': route,
        'ambit.execution.id': executionId,
      };
      const name = route === undefined ? (known ?? 'HTTP') : `${known ?? 'HTTP'} ${route}`;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
      const context = trace.setSpan(caller, span);
      return {
        traceId: span.spanContext().traceId,
        within: (handle) => within(context, handle),
        ended({ status, code }) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 400) span.setAttribute('error.type', code ?? String(status));
          // A client error is not an error of the server span.
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}
