import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Told when spans cannot be sent, and with `undefined` when they can again. No call waits for it or fails with it. */
export interface LostSpans {
  onFailure(error: unknown): void;
}

/** The same exporter, whose failures are told once, and not for each batch. */
export function watchedExporter(exporter: SpanExporter, { onFailure }: LostSpans): SpanExporter {
  let isFailing = false;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed !== isFailing) onFailure(failed ? result.error : undefined);
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
