import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '@ambit/runtime';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { nodeAddress } from '../config/file/node-address.ts';
import { oneAddress } from '../config/listen-address.ts';
import { Refusal } from '../errors/refusal.ts';
import type { ClaimHolders } from '../jobs/idempotency/idempotency.ts';
import type { StoredNode } from '../store/operations/nodes.ts';
import { postgresSettings } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { newId, nodeIn, withNode } from '../wire/new-id.ts';
import { enrol } from './enrolment/enrol.ts';
import { nodeFiles } from './identity/node-files.ts';
import { joinCluster, type Membership, type MembershipOptions } from './membership/membership.ts';
import { listenForPeers, type PeerListener } from './peers/listen-for-peers.ts';
import { type PeerClient, peerClient } from './peers/peer-client.ts';

/** A daemon as a node of its cluster. */
export interface Cluster
  extends Pick<
    Membership,
    | 'identity'
    | 'epoch'
    | 'lease'
    | 'requireLease'
    | 'now'
    | 'held'
    | 'nodes'
    | 'unreachable'
    | 'retired'
    | 'ended'
    | 'leaseLeftMs'
  > {
  /** An id for a call, which names this node. */
  newExecutionId(): string;
  /** An id for a session, which names this node and cannot be guessed. */
  newSessionId(): string;
  /** The other node that an id names; `undefined` if it is this one, none, or retired. */
  ownerOf(id: string): StoredNode | undefined;
  nodeOf(id: number): StoredNode | undefined;
  /** The nodes that have claimed idempotency keys. */
  holders: ClaimHolders;
  pass: PeerClient['pass'];
  /** Throws `LEASE_LOST` if this node cannot apply the policy of the cluster; `requireLease` does so too. */
  requirePolicy(): void;
  /** Answers other nodes with `serve`. Rejects with `ADDRESS_UNAVAILABLE`. */
  listen(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<PeerListener>;
  /** Gives the lease back. */
  close(): Promise<void>;
}

export interface OpenClusterOptions {
  config: Config;
  environment: Environment;
  version: string;
  logger: Logger;
  /** See `StartNodeOptions`. */
  logDifference: MembershipOptions['logDifference'];
  /** Ends the wait for the end of a lease. */
  stopped?: AbortSignal | undefined;
  /** Called after each renewal of the lease, with its duration. */
  onRenewal?: MembershipOptions['onRenewal'];
}

/** Few connections, and short timeouts: a renewal that comes late is useless. */
const controlConnections = 2;

/**
 * Makes a daemon a node; resolves to `undefined` without `cluster` in its configuration. Waits for the end of the lease that a
 * crashed start left. Rejects with `NODE_UNUSABLE`, `NODE_DUPLICATED`, `NODE_RETIRED` and `STORE_UNAVAILABLE`, and with the reason
 * of `stopped`.
 */
export async function openCluster({
  config,
  environment,
  version,
  logger,
  logDifference,
  stopped,
  onRenewal,
}: OpenClusterOptions): Promise<Cluster | undefined> {
  const settings = postgresSettings(config, environment);
  const { cluster } = config;
  const files = nodeFiles(config.dataDir);
  const identity = files.read();
  if (cluster === null || settings === null) {
    if (identity === undefined) return undefined;
    throw new Refusal(
      'NODE_UNUSABLE',
      `${config.dataDir} is the node ${identity.name} of a cluster, but the configuration has no cluster; add it, or name another data directory with --data-dir`,
    );
  }
  if (identity === undefined)
    throw new Refusal(
      'NODE_UNUSABLE',
      `${config.dataDir} is not a node of a cluster yet; run "ambit cluster init" for the first node, or "ambit cluster join" with an invitation`,
    );
  const leaseMs = cluster.leaseSeconds * 1000;
  const timeoutMs = Math.min(settings.statementTimeoutMs, Math.ceil(leaseMs / 4));
  const store = openPostgresStore(
    { ...settings, poolSize: controlConnections, statementTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs },
    { use: 'beside' },
  );
  const certificateOf = async (id: number): Promise<string | undefined> =>
    (await store.run('findNode', id))?.certificate;
  const peers = peerClient(identity, certificateOf);
  let membership: Membership;
  try {
    membership = await joinCluster({
      store,
      files,
      identity,
      version,
      leaseMs,
      logger,
      onRenewal,
      advertise: cluster.advertise,
      logDifference,
      signal: stopped,
      findUnreachable: unreachableOf(identity.id, peers),
    });
  } catch (error) {
    peers.close();
    await store.close();
    throw error;
  }
  const authority = files.readAuthority();
  const nodeOf = (id: number): StoredNode | undefined =>
    membership.nodes().find((node) => node.id === id && node.state !== 'retired');
  return {
    ...membership,
    newExecutionId: () => withNode(newId(), identity.id),
    newSessionId: () => withNode(randomUUID(), identity.id),
    nodeOf,
    holders: {
      own: () => ({ node: identity.id, epoch: membership.epoch() }),
      isRunning({ node: id, epoch }) {
        if (id === identity.id) return false;
        const node = membership.nodes().find((each) => each.id === id);
        // A node that is not known yet has just joined.
        return node === undefined || (node.state !== 'retired' && node.epoch <= epoch);
      },
    },
    ownerOf(id) {
      const node = nodeIn(id);
      return node === undefined || node === identity.id ? undefined : nodeOf(node);
    },
    pass: peers.pass,
    // The daemon replaces it: the policy is applied like a configuration.
    requirePolicy: () => undefined,
    async listen(serve) {
      const address = nodeAddress(cluster.listen ?? cluster.advertise);
      if (address === undefined) throw new Error('the address was checked with the configuration');
      return listenForPeers({
        identity,
        serve,
        logger,
        nodes: membership.nodes,
        retired: membership.retired,
        certificateOf,
        address: { ...address, host: await oneAddress(address.host) },
        enrol: authority && ((request) => enrol({ store, identity, authority }, request)),
      });
    },
    async close() {
      peers.close();
      await membership.close();
      await store.close();
    },
  };
}

/** The nodes that one look asks: a large cluster is asked in turns. */
const lookedMax = 8;

/** Looks at the other nodes with a lease, some at a time. A node is unreachable from one look at it to the next. */
function unreachableOf(own: number, peers: PeerClient): MembershipOptions['findUnreachable'] {
  let last = 0;
  let unreachable: ReadonlySet<number> = new Set();
  return async (nodes) => {
    const others = nodes.filter(
      ({ id, leaseUntil, now, state }) => id !== own && leaseUntil >= now && state !== 'retired',
    );
    const candidates = [...others.filter(({ id }) => id > last), ...others.filter(({ id }) => id <= last)];
    const looked = candidates.slice(0, lookedMax);
    last = looked.at(-1)?.id ?? 0;
    const found = new Set(await peers.findUnreachable(looked));
    const isLooked = new Set(looked.map(({ id }) => id));
    unreachable = new Set(
      others.flatMap(({ id }) => ((isLooked.has(id) ? found : unreachable).has(id) ? [id] : [])),
    );
    return [...unreachable];
  };
}
