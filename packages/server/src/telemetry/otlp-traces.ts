import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tracing } from '@ambit/core/execute';
import { defined } from '@ambit/core/json';
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withinTime } from '../within-time.ts';
import { callSpans } from './call-spans.ts';
import { type RequestSpans, requestSpans } from './request-spans.ts';
import type { TraceSettings } from './trace-settings.ts';
import { type LostSpans, watchedExporter } from './watched-exporter.ts';

/** The traces of one daemon. Nothing is registered globally. */
export interface Traces {
  requests: RequestSpans;
  calls: Tracing;
  /** Sends the remaining spans within the time that shutdown allows. Later ones are lost. */
  close(): Promise<void>;
}

export interface TracesOptions extends TraceSettings {
  /** Ambit's version. */
  version: string;
  /** The milliseconds in which finished spans are batched before they are sent. */
  gatherMs?: number;
  /** The milliseconds that shutdown waits for the collector. */
  closeMs?: number;
  lost: LostSpans;
}

/** The timeout of a batch. A retried batch keeps the process alive that long. */
const sendMs = 2000;
/**
 * The limit of queued spans: it bounds the memory that a slow or missing collector costs. Further
 * spans are dropped.
 */
const spansMax = 2048;

/**
 * Exports traces over OTLP with JSON. The exporter reads its own variables:
 * OTEL_EXPORTER_OTLP_HEADERS, _COMPRESSION and certificates, but not _TIMEOUT, because a batch has
 * two seconds. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES set the resource.
 */
export function otlpTraces({
  url,
  sampler,
  version,
  gatherMs = 5000,
  closeMs = 2000,
  lost,
}: TracesOptions): Traces {
  const exporter = new OTLPTraceExporter(defined({ url, timeoutMillis: sendMs }));
  const processor = new BatchSpanProcessor({
    exporter: watchedExporter(exporter, lost),
    maxQueueSize: spansMax,
    scheduledDelayMillis: gatherMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'ambit', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: samplerOf(sampler),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('ambit', version);
  const current = new AsyncLocalStorage<Context>();
  return {
    requests: requestSpans(tracer, (context, work) => current.run(context, work)),
    calls: callSpans(tracer, () => current.getStore() ?? ROOT_CONTEXT),
    async close() {
      const ended = provider.shutdown().catch(() => undefined);
      await withinTime(closeMs, ended);
    },
  };
}

function samplerOf({ ratio, followsCaller }: TraceSettings['sampler']): Sampler {
  const root = ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return followsCaller ? new ParentBasedSampler({ root }) : root;
}
