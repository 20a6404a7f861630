import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { ClusterLock } from '../cluster/catalog/cluster-lock.ts';
import type { Cluster, OpenClusterOptions } from '../cluster/open-cluster.ts';
import type { ClusterPolicy, PolicyTarget } from '../cluster/policy/cluster-policy.ts';
import type { Config } from '../config/config.ts';
import type { LockTarget } from '../installs/installer-deps.ts';
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

/** The state that a node shares with the other nodes of its cluster. Its calls depend on it from the start. */
interface SharedState {
  lock: ClusterLock;
  policy: ClusterPolicy;
  /** The decisions, by the lock file that this node has. */
  decisions: LiveDecisions;
  /** Throws `LEASE_LOST` if this node takes no calls under a configuration. */
  requireLease(isNew: boolean | undefined, config: Config): void;
  /**
   * Brings `live` up to date, before the first call. Resolves to the node, which takes calls only under the shared lock file and
   * policy.
   */
  start(live: LiveConfig): Promise<Cluster>;
  /** Applies changes to `live`. Returns a function that stops it. */
  watch(live: LiveConfig): () => void;
}

/** Opens the shared state of a node. Reads nothing yet. */
export async function sharedState(
  node: Cluster,
  { store, storedDecisions, logger }: { store: Store; storedDecisions: LiveDecisions; logger: Logger },
): Promise<SharedState> {
  const { clusterLock } = await import('../cluster/catalog/cluster-lock.ts');
  const { clusterPolicy } = await import('../cluster/policy/cluster-policy.ts');
  const { identity } = node;
  const lock = clusterLock({ store, logger, node: identity.id });
  const policy = clusterPolicy({ store, logger, identity });
  const requireLease: SharedState['requireLease'] = (isNew, config) => {
    node.requireLease(isNew);
    lock.requireFresh();
    policy.requireApplied(config);
  };
  return {
    lock,
    policy,
    decisions: { ...storedDecisions, read: () => storedDecisions.read(lock.isComplete) },
    requireLease,
    async start(live) {
      const target = targetOf(live);
      await lock.start(target);
      await policy.start(target);
      return {
        ...node,
        requireLease: (isNew) => requireLease(isNew, target.config()),
        requirePolicy: () => policy.requireApplied(target.config()),
      };
    },
    watch(live) {
      const target = targetOf(live);
      const watches = [lock.watch(target), policy.watch(target)];
      return () => {
        for (const stop of watches.toReversed()) stop();
      };
    },
  };
}

function targetOf({ current, refreshInstalled, change }: LiveConfig): LockTarget & PolicyTarget {
  return { config: () => current().config, apply: refreshInstalled, change };
}

/** The time in which a node that was retired answers the calls that it has canceled. */
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
    app.privateServer.closeAllConnections();
  };
  cluster.ended.addEventListener('abort', () => void end(), { once: true });
  return peers.stop;
}
