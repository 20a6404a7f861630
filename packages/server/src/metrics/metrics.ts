import { Counter, collectDefaultMetrics, Gauge, type OpenMetricsContentType, Registry } from 'prom-client';
import type { AuditObserver } from '../audit/audit-observer.ts';
import { callMetrics } from './call-metrics.ts';
import { countedKeys } from './counted-keys.ts';
import { type Part, partGauges } from './part-gauges.ts';
import { type RequestMetrics, requestMetrics } from './request-metrics.ts';

/** What a scrape is answered with. */
interface Exposition {
  contentType: string;
  body: string;
}

/** All that is measured of one daemon. What has labels has few of them: no ids, no actors, no paths. */
export interface Metrics {
  calls: AuditObserver;
  requests: RequestMetrics;
  /** Judges keys as `authenticate` does, and counts those that are not accepted. */
  countedKeys: ReturnType<typeof countedKeys>;
  /** Has each scrape read these too, from here on. */
  read(parts: readonly Part[]): void;
  /**
   * Everything as it is now, in the text format of Prometheus, or in OpenMetrics 1.0 when `accept`, a header, names that.
   * The values of a part that has not answered in time are left out, and its `ambit_part_up` is 0.
   */
  scrape(accept: string | undefined): Promise<Exposition>;
  /** What there is of Ambit's own, by name; what is of the process and of Node has the names that its library gives it. */
  described(): MetricDescription[];
}

interface MetricDescription {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** A sentence. */
  help: string;
}

/** So seldom is it looked how long the event loop takes: each look wakes the processor up. */
const loopSampleMs = 100;

export interface MetricsOptions {
  /** Ambit's own. */
  version: string;
  /** How long a scrape waits for a part. */
  partMs?: number;
}

/** Begins to measure. */
export function metrics({ version, partMs = 1000 }: MetricsOptions): Metrics {
  const registry = new Registry();
  const parts = partGauges(registry, partMs);
  parts.add([
    {
      name: 'build',
      labels: { version, node: process.version },
      metrics: { ambit_build_info: 'Always 1; its labels say what runs.' },
      read: () => ({ ambit_build_info: 1 }),
    },
  ]);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  removeMisnamed(registry);
  return {
    calls: callMetrics(registry),
    requests: requestMetrics(registry),
    countedKeys: countedKeys(registry),
    read: parts.add,
    described: () =>
      registry
        .getMetricsAsArray()
        .filter(({ name }) => name.startsWith('ambit_'))
        .map(describe)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async scrape(accept = '') {
      await parts.read();
      const answering = accept.includes('application/openmetrics-text') ? openMetrics(registry) : registry;
      return { contentType: answering.contentType, body: await answering.metrics() };
    },
  };
}

function describe(metric: { name: string; help: string }): MetricDescription {
  const { name, help } = metric;
  const labels = 'labelNames' in metric ? (metric.labelNames as string[]) : [];
  const type = metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram';
  return { name, type, labels, help };
}

/** Removes gauges such as `nodejs_active_handles_total`, the sum of another: only counters may end in `_total`. */
function removeMisnamed(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray()) {
    const { name } = metric;
    if (metric instanceof Gauge && name.endsWith('_total')) registry.removeSingleMetric(name);
  }
}

/**
 * The same metrics for OpenMetrics. When prom-client writes OpenMetrics, it removes `_total` from the names of the metric
 * objects themselves. It gets derived objects, so that the originals keep their names.
 */
function openMetrics(registry: Registry): Registry<OpenMetricsContentType> {
  const other = new Registry<OpenMetricsContentType>();
  other.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name);
    if (metric !== undefined) other.registerMetric(Object.create(metric));
  }
  return other;
}
