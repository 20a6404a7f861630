import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/**
 * Called with the error when spans cannot be sent, and with `undefined` when they can again. Calls
 * neither wait nor fail.
 */
export interface LostSpans {
  onFailure(error: unknown): void;
}

/** The same exporter; it reports the first failure and the recovery, not each batch. */
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
