import { nodeStatuses } from '@ambit/api';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { nodeStatus } from '../cluster/node-status.ts';
import type { Cluster, OpenClusterOptions } from '../cluster/open-cluster.ts';

/** Measures a node of a cluster. */
export interface ClusterMetrics {
  /** Measures the renewals of its lease. */
  onRenewal: NonNullable<OpenClusterOptions['onRenewal']>;
  /** Measures what it does with other nodes, and reads its state at each scrape. */
  measured<Node extends MeasuredNode>(node: Node): Node;
}

type MeasuredNode = Pick<Cluster, 'nodes' | 'epoch' | 'leaseLeftMs' | 'pass' | 'holders'>;

/** In seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the metrics of a node: a daemon in no cluster has none of them. */
export function clusterMetrics(registry: Registry): ClusterMetrics {
  const registers = [registry];
  const renewals = new Histogram({
    name: 'ambit_cluster_renewal_seconds',
    help: 'Duration of renewals of the lease of this node by outcome: done or failed.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const passed = new Histogram({
    name: 'ambit_cluster_passed_request_seconds',
    help: 'Time until another node began to answer a passed-on request, by outcome: answered, unreachable or canceled.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  // Prometheus sees no increase in a series that begins with 1.
  renewals.zero({ outcome: 'failed' });
  passed.zero({ outcome: 'unreachable' });
  const elsewhere = new Counter({
    name: 'ambit_cluster_claims_elsewhere_total',
    help: 'Requests whose idempotency key belongs to a call that runs on another node.',
    registers,
  });
  return {
    onRenewal: (ms, outcome) => renewals.observe({ outcome }, ms / 1000),
    measured(cluster) {
      const { nodes, epoch, leaseLeftMs, pass, holders } = cluster;
      new Gauge({
        name: 'ambit_cluster_nodes',
        help: 'Nodes of the cluster by status, as this node last read them.',
        labelNames: ['status'],
        registers,
        collect() {
          for (const status of nodeStatuses)
            this.set({ status }, nodes().filter((node) => nodeStatus(node) === status).length);
        },
      });
      new Gauge({
        name: 'ambit_cluster_epoch',
        help: 'Epoch of this node; it grows with each start, and when its lease has ended.',
        registers,
        collect() {
          this.set(epoch());
        },
      });
      new Gauge({
        name: 'ambit_cluster_lease_seconds',
        help: 'Time until the lease of this node ends; 0 without one.',
        registers,
        collect() {
          this.set(leaseLeftMs() / 1000);
        },
      });
      return {
        ...cluster,
        holders: {
          ...holders,
          isRunning(holder) {
            const isElsewhere = holders.isRunning(holder);
            if (isElsewhere) elsewhere.inc();
            return isElsewhere;
          },
        },
        async pass(node, request) {
          const start = performance.now();
          let outcome = 'unreachable';
          try {
            const answer = await pass(node, request);
            outcome = 'answered';
            return answer;
          } catch (error) {
            if (request.signal.aborted) outcome = 'canceled';
            throw error;
          } finally {
            passed.observe({ outcome }, (performance.now() - start) / 1000);
          }
        },
      };
    },
  };
}
