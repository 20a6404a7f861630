import { thrownText } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Traces } from '../../telemetry/otlp-traces.ts';
import { traceSettings } from '../../telemetry/trace-settings.ts';

/**
 * Opens traces if the environment or the configuration names a collector. Otherwise returns `undefined` and does not load
 * OpenTelemetry. Rejects for invalid variables.
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
  const { otlpTraces } = await import('../../telemetry/otlp-traces.ts');
  return otlpTraces({
    ...settings,
    version,
    lost: {
      onFailure(error) {
        if (error === undefined) logger.info('sending traces again');
        else
          logger.warn({ reason: reasonOf(error) }, 'cannot send traces; they are lost, and calls continue');
      },
    },
  });
}

/** Returns the start of the message alone: the error contains the collector's response. */
function reasonOf(error: unknown): string {
  return thrownText(error).slice(0, 200);
}
