import { Counter, collectDefaultMetrics, Gauge, type OpenMetricsContentType, Registry } from 'prom-client';
import type { AuditObserver } from '../audit/audit-observer.ts';
import { callMetrics } from './call-metrics.ts';
import { type ClusterMetrics, clusterMetrics } from './cluster-metrics.ts';
import { countedKeys } from './counted-keys.ts';
import { type Part, partGauges } from './part-gauges.ts';
import { redactionMetrics } from './redaction-metrics.ts';
import { type RequestMetrics, requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/** The response to a scrape. */
interface Exposition {
  contentType: string;
  body: string;
}

/** The metrics of one daemon. Labels have few values: no ids, actors or paths. */
export interface Metrics {
  calls: AuditObserver;
  redactions: ReturnType<typeof redactionMetrics>;
  requests: RequestMetrics;
  /** Wraps `authenticate` and counts rejected keys. */
  countedKeys: ReturnType<typeof countedKeys>;
  /** Measures the operations of a store. */
  measuredStore: ReturnType<typeof storeMetrics>;
  /** Registers the metrics of a node. Only for a daemon in a cluster. */
  cluster(): ClusterMetrics;
  /** Reads these components at each scrape from now on. */
  read(parts: readonly Part[]): void;
  /**
   * All current metrics in the Prometheus text format, or in OpenMetrics 1.0 if the `Accept` header
   * names it. A component that does not answer in time is left out, and its `ambit_part_up` is 0.
   */
  scrape(accept: string | undefined): Promise<Exposition>;
  /** Ambit's own metrics, by name. Metrics of the process and of Node are named by prom-client. */
  described(): MetricDescription[];
}

interface MetricDescription {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** One sentence. */
  help: string;
}

/** The sampling interval of the event loop delay: each sample wakes the processor. */
const loopSampleMs = 100;

export interface MetricsOptions {
  /** Ambit's version. */
  version: string;
  /** The time that a scrape waits for a component. */
  partMs?: number;
}

/** Creates the metrics of a daemon and starts measuring. */
export function metrics({ version, partMs = 1000 }: MetricsOptions): Metrics {
  const registry = new Registry();
  const parts = partGauges(registry, partMs);
  parts.add([
    {
      name: 'build',
      labels: { version, node: process.version },
      metrics: { ambit_build_info: 'Always 1; the labels have the versions of Ambit and Node.' },
      read: () => ({ ambit_build_info: 1 }),
    },
  ]);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  removeMisnamed(registry);
  return {
    calls: callMetrics(registry),
    redactions: redactionMetrics(registry),
    requests: requestMetrics(registry),
    countedKeys: countedKeys(registry),
    measuredStore: storeMetrics(registry),
    cluster: () => clusterMetrics(registry),
    read: parts.add,
    described: () =>
      registry
        .getMetricsAsArray()
        .filter(({ name }) => name.startsWith('ambit_'))
        .map(describe)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async scrape(accept = '') {
      await parts.read();
      const exposed = accept.includes('application/openmetrics-text') ? openMetrics(registry) : registry;
      return { contentType: exposed.contentType, body: await exposed.metrics() };
    },
  };
}

function describe(metric: { name: string; help: string }): MetricDescription {
  const { name, help } = metric;
  const labels = 'labelNames' in metric ? (metric.labelNames as string[]) : [];
  const type = metric instanceof Counter ? 'counter' : metric instanceof Gauge ? 'gauge' : 'histogram';
  return { name, type, labels, help };
}

/**
 * Removes gauges such as `nodejs_active_handles_total`, a sum of other metrics: only counters may
 * end in `_total`.
 */
function removeMisnamed(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray()) {
    const { name } = metric;
    if (metric instanceof Gauge && name.endsWith('_total')) registry.removeSingleMetric(name);
  }
}

/**
 * The same metrics for OpenMetrics. When prom-client writes OpenMetrics, it removes `_total` from
 * the names of the metric objects. It gets derived objects, so that the originals keep their names.
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
