import { expect, test } from 'vitest';
import { traceSettings } from './trace-settings.ts';

const always = { ratio: 1, followsCaller: true };
const endpoint = 'http://127.0.0.1:4318';

test.each([
  ['nothing is configured', undefined, {}, undefined],
  ['the configuration has an endpoint', endpoint, {}, { url: `${endpoint}/v1/traces`, sampler: always }],
  ['the endpoint ends in a slash', `${endpoint}/`, {}, { url: `${endpoint}/v1/traces`, sampler: always }],
  [
    'the environment has an endpoint too',
    endpoint,
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:1' },
    { url: undefined, sampler: always },
  ],
  [
    'the environment has an endpoint for traces',
    undefined,
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:1' },
    { url: undefined, sampler: always },
  ],
  ['a variable is empty', undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  ['the SDK is disabled', endpoint, { OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  ['the exporter is none', endpoint, { OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [
    'a ratio is configured',
    endpoint,
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { url: `${endpoint}/v1/traces`, sampler: { ratio: 0.25, followsCaller: false } },
  ],
  [
    'only traces of callers are wanted',
    endpoint,
    { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    { url: `${endpoint}/v1/traces`, sampler: { ratio: 0, followsCaller: true } },
  ],
] as const)('reads the settings when %s', (_, configured, environment, settings) => {
  expect(traceSettings(configured, environment)).toEqual(settings);
});

test.each([
  ['jaeger_remote', ''],
  ['traceidratio', '2'],
  ['traceidratio', 'many'],
  ['toString', ''],
])('refuses %s with "%s"', (name, ratio) => {
  const environment = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio };
  expect(() => traceSettings(endpoint, environment)).toThrow(/is no sampler: write always_on/);
});
