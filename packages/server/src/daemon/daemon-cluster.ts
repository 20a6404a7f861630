import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { ClusterLock } from '../cluster/catalog/cluster-lock.ts';
import type { Cluster, OpenClusterOptions } from '../cluster/open-cluster.ts';
import type { ClusterPolicy } from '../cluster/policy/cluster-policy.ts';
import type { LiveDecisions } from '../setup/live-decisions.ts';
import type { Store } from '../store/store.ts';
import { drain, type OpenCalls } from './drain.ts';
import type { Observation } from './observe/observe-daemon.ts';
import type { LiveConfig } from './reload/live-config.ts';

/** The daemon as a node; `undefined` if it is in no cluster. Only nodes load the code for it. */
export async function clusterOf({
  observation,
  log,
  ...options
}: Omit<OpenClusterOptions, 'logDifference' | 'onRenewal'> & {
  log: OpenAuditLog;
  observation: Observation;
}): Promise<Cluster | undefined> {
  const { cluster, dataDir } = options.config;
  if (cluster === null && !existsSync(join(dataDir, 'cluster'))) return undefined;
  const { openCluster } = await import('../cluster/open-cluster.ts');
  const { onRenewal, measured } = observation.cluster();
  const opened = await openCluster({
    ...options,
    onRenewal,
    logDifference: (stored) => log.shipping?.differenceFrom(stored)?.text,
  });
  return opened && measured(opened);
}

/** What a node shares with the other nodes of its cluster. */
export interface SharedState {
  /** The node, which takes calls only under the shared lock file and policy. */
  cluster: Cluster;
  lock: ClusterLock;
  policy: ClusterPolicy;
  /** The decisions, by the lock file that this node has. */
  decisions: LiveDecisions;
  /** Brings this node up to date, before its first call. */
  start(): Promise<void>;
  /** Looks for changes. Returns a function that stops it. */
  watch(): () => void;
}

interface SharedStateDeps {
  store: Store;
  decisions: LiveDecisions;
  logger: Logger;
  /** Called from `start` on. */
  live(): LiveConfig;
}

/** Opens the shared state of a node. Reads nothing yet. */
export async function sharedState(
  node: Cluster,
  { store, decisions, logger, live }: SharedStateDeps,
): Promise<SharedState> {
  const { clusterLock } = await import('../cluster/catalog/cluster-lock.ts');
  const { clusterPolicy } = await import('../cluster/policy/cluster-policy.ts');
  const shared = { store, logger, config: () => live().current().config };
  const lock = clusterLock({ ...shared, apply: () => live().refreshInstalled(), node: node.identity.id });
  const policy = clusterPolicy({
    ...shared,
    change: (next) => live().change(next),
    identity: node.identity,
  });
  return {
    cluster: {
      ...node,
      requireLease(isNew) {
        node.requireLease(isNew);
        lock.requireFresh();
        policy.requireApplied();
      },
      requirePolicy: policy.requireApplied,
    },
    lock,
    policy,
    decisions: { ...decisions, read: () => decisions.read(lock.isComplete) },
    async start() {
      await lock.start();
      await policy.start();
    },
    watch() {
      const watches = [lock.watch(), policy.watch()];
      return () => {
        for (const stop of watches.toReversed()) stop();
      };
    },
  };
}

/** How long a node that was retired takes to answer the calls that it has canceled. */
const endAnswersMs = 1000;

/** Answers other nodes until the lease ends. Resolves to a function that stops it. */
export async function answerPeers(
  cluster: Cluster,
  { app, calls, shutdown }: { app: FastifyInstance; calls: OpenCalls; shutdown: AbortSignal },
): Promise<() => unknown> {
  const peers = await cluster.listen((request, response) => app.routing(request, response));
  const end = async (): Promise<void> => {
    // The calls that end with the lease are still answered. Streams of events would continue.
    await drain({ settled: calls.settled, maxMs: endAnswersMs, cancelNow: shutdown });
    app.server.closeAllConnections();
  };
  cluster.ended.addEventListener('abort', () => void end(), { once: true });
  return peers.stop;
}
