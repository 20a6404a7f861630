import type { Environment } from '@ambit/runtime';
import { ConfigError } from '../config/config-error.ts';

/** The destination of traces. */
export type TraceSettings =
  /** `url` is from the configuration; `undefined`: the exporter reads it from the environment. */
  { url: string | undefined; sampler: SamplerSettings };

interface SamplerSettings {
  /** The share of requests that are traced, 0 to 1, if the caller made no decision. */
  ratio: number;
  /** Whether to follow the caller's decision in its `traceparent`. */
  followsCaller: boolean;
}

/**
 * Reads the variables of the OpenTelemetry specification that enable traces; they override
 * `otlpEndpoint` in the configuration. Variables of the exporter and the resource are read by
 * those. `undefined`: no traces. Throws a `ConfigError` for an unknown sampler.
 */
export function traceSettings(
  otlpEndpoint: string | undefined,
  environment: Environment,
): TraceSettings | undefined {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (environment['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const inEnvironment =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!inEnvironment && otlpEndpoint === undefined) return undefined;
  return {
    url: inEnvironment ? undefined : `${otlpEndpoint?.replace(/\/+$/, '')}/v1/traces`,
    sampler: samplerOf(environment),
  };
}

/** The specification's names and default. */
function samplerOf(environment: Environment): SamplerSettings {
  const name = environment['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  const ratio = new Map([
    ['always_on', 1],
    ['always_off', 0],
    ['traceidratio', ratioOf(environment)],
  ]).get(name.replace(/^parentbased_/, ''));
  if (ratio === undefined || Number.isNaN(ratio))
    throw new ConfigError([
      `OTEL_TRACES_SAMPLER=${name} with OTEL_TRACES_SAMPLER_ARG=${environment['OTEL_TRACES_SAMPLER_ARG'] ?? ''} is not a valid sampler; use always_on, always_off or traceidratio with a ratio from 0 to 1, and the prefix parentbased_ to follow the caller`,
    ]);
  return { ratio, followsCaller: name.startsWith('parentbased_') };
}

function ratioOf(environment: Environment): number {
  const ratio = Number(environment['OTEL_TRACES_SAMPLER_ARG'] || 1);
  return ratio >= 0 && ratio <= 1 ? ratio : Number.NaN;
}
