import { thrownText } from '@ambit/core/internal';
import type { Environment } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Traces } from '../telemetry/otlp-traces.ts';
import { traceSettings } from '../telemetry/trace-settings.ts';

/**
 * Traces, where the environment or the configuration says where to; `undefined` where neither does: then nothing of
 * OpenTelemetry is even loaded. Rejects for variables that cannot be read.
 */
export async function openTraces(
  { telemetry: { otlpEndpoint } }: Pick<Config, 'telemetry'>,
  {
    environment,
    version,
    logger,
  }: {
    environment: Environment;
    version: string;
    logger: FastifyBaseLogger;
  },
): Promise<Traces | undefined> {
  const settings = traceSettings(otlpEndpoint ?? undefined, environment);
  if (settings === undefined) return undefined;
  const { otlpTraces } = await import('../telemetry/otlp-traces.ts');
  return otlpTraces({
    ...settings,
    version,
    lost: {
      onFailure(error) {
        if (error === undefined) logger.info('traces are taken again');
        else logger.warn({ reason: reasonOf(error) }, 'traces cannot be sent and are lost; calls go on');
      },
    },
  });
}

/** Not the error whole: with it comes what the collector answered. */
function reasonOf(error: unknown): string {
  return thrownText(error).slice(0, 200);
}
