import type { Environment } from '@ambit/runtime';
import { ConfigError } from '../config/config-error.ts';

/** Where traces go, if anywhere. */
export type TraceSettings =
  /** `url` is of the configuration; `undefined`: the exporter finds it in the environment. */
  { url: string | undefined; sampler: SamplerSettings };

interface SamplerSettings {
  /** Of requests that bring no decision, so many are traced: 0 to 1. */
  ratio: number;
  /** Whether a caller's own decision, in its `traceparent`, is followed. */
  followsCaller: boolean;
}

/**
 * Reads the variables of the OpenTelemetry specification that say whether there are traces at all; they go over the
 * configuration's `otlpEndpoint`. Those of the exporter and the resource are read where they are used. `undefined`: no
 * traces. Throws a `ConfigError` for a sampler that there is not.
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

/** The specification's names, and its default. */
function samplerOf(environment: Environment): SamplerSettings {
  const name = environment['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on';
  const ratio = new Map([
    ['always_on', 1],
    ['always_off', 0],
    ['traceidratio', ratioOf(environment)],
  ]).get(name.replace(/^parentbased_/, ''));
  if (ratio === undefined || Number.isNaN(ratio))
    throw new ConfigError([
      `OTEL_TRACES_SAMPLER=${name} with OTEL_TRACES_SAMPLER_ARG=${environment['OTEL_TRACES_SAMPLER_ARG'] ?? ''} is no sampler: write always_on, always_off or traceidratio, with parentbased_ before it to follow the caller, and a share of 0 to 1`,
    ]);
  return { ratio, followsCaller: name.startsWith('parentbased_') };
}

function ratioOf(environment: Environment): number {
  const ratio = Number(environment['OTEL_TRACES_SAMPLER_ARG'] || 1);
  return ratio >= 0 && ratio <= 1 ? ratio : Number.NaN;
}
