import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import type { Logger } from 'pino';
import { Refusal } from '../../errors/refusal.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { loseNode } from './cluster-statement.ts';
import { type StartedNode, type StartNodeOptions, startNode } from './start-node.ts';

/** A daemon's place in its cluster. */
export interface Membership {
  readonly identity: NodeIdentity;
  /** Grows with each start, and whenever the node's lease has ended. */
  epoch(): number;
  /** Returns the values that the database compares before it takes something from this node. */
  lease(): { epoch: number; instance: string };
  /**
   * Throws `LEASE_LOST` if the node runs no calls, because half of its lease has passed, or takes no new ones, because it is
   * being drained. `isNew` is false for the next call of a chain or a batch.
   */
  requireLease(isNew?: boolean): void;
  /** The time of the database, in milliseconds since the epoch: the clocks of nodes may differ. */
  now(): number;
  /** Aborted when the current lease ends: the runs under it end. */
  held(): AbortSignal;
  /** All nodes of the cluster, as they were at the last renewal. */
  nodes(): readonly StoredNode[];
  /** The ids of the nodes that this one could not reach last. */
  unreachable(): readonly number[];
  /** Aborted at the first renewal that shows a node as retired; the same signal until then. */
  retired(node: number): AbortSignal;
  /** Aborted once this daemon is no longer a node, because it was retired, or another daemon has started as it. */
  ended: AbortSignal;
  /** Milliseconds until the lease ends; 0 without one. */
  leaseLeftMs(): number;
  /** Stops renewing. Releases the lease, so that the next start need not wait for its end. */
  close(): Promise<void>;
}

/** `store` has connections of its own: a lease must not wait for other operations. */
export interface MembershipOptions extends Omit<StartNodeOptions, 'onWait'> {
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Looks which of the nodes with a lease this one cannot reach, after each renewal. Does not reject. */
  findUnreachable(nodes: readonly StoredNode[]): Promise<readonly number[]>;
  onRenewal?: ((ms: number, outcome: 'done' | 'failed') => void) | undefined;
}

/** A lease is renewed this often while it lasts. */
const renewals = 5;

/**
 * Starts a node and renews its lease until it is closed. If the lease ends, runs under it are ended, and the node starts again
 * under a new epoch as soon as it can. Rejects as `startNode` does.
 */
export async function joinCluster(options: MembershipOptions): Promise<Membership> {
  const { store, identity, leaseMs, logger, onRenewal } = options;
  const intervalMs = leaseMs / renewals;
  let nodes: readonly StoredNode[] = [];
  let unreachable: readonly number[] = [];
  let isLooking = false;
  const retirements = new Map<number, AbortController>();
  const ended = new AbortController();
  let held = new AbortController();
  let lease: { epoch: number; instance: string; until: number; state: StoredNode['state'] };
  /** The milliseconds by which the clock of the database is ahead of this node's. */
  let aheadMs = 0;
  let failure: unknown;
  let isClosed = false;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  let beating = Promise.resolve();

  const take = ({ instance, node, askedAt }: StartedNode): void => {
    lease = { epoch: node.epoch, instance, until: askedAt + leaseMs, state: node.state };
    aheadMs = node.now - Date.now();
    watchEnd();
  };
  const watchEnd = (): void => {
    clearTimeout(ending);
    ending = setTimeout(endRuns, Math.max(0, lease.until - performance.now())).unref();
  };
  const endRuns = (): void => {
    if (held.signal.aborted) return;
    logger.error(
      { node: identity.name, epoch: lease.epoch, err: failure },
      'the lease of this node has ended; its running calls are ended',
    );
    held.abort(leaseLost(identity.name, 'its lease has ended', failure));
  };
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const { epoch, instance } = lease;
    let outcome: 'done' | 'failed' = 'failed';
    let node: StoredNode | undefined;
    try {
      node = await store.run(
        'renewLease',
        identity.id,
        epoch,
        instance,
        leaseMs,
        JSON.stringify(unreachable),
      );
      if (node !== undefined) outcome = 'done';
    } finally {
      onRenewal?.(performance.now() - askedAt, outcome);
    }
    if (isClosed) return;
    if (node !== undefined && askedAt < lease.until) {
      lease = { ...lease, until: askedAt + leaseMs, state: node.state };
      aheadMs = node.now - Date.now();
      // The answer may come after the end of the lease before it, which has ended the runs.
      if (held.signal.aborted) held = new AbortController();
      watchEnd();
      return;
    }
    // The epoch is gone, or was renewed too late: what runs under it ends before the next one begins.
    lease.until = 0;
    endRuns();
    const started = await startNode({ ...options, signal: closing.signal });
    held = new AbortController();
    take(started);
    logger.info({ node: identity.name, epoch: lease.epoch }, 'the node has a lease again');
  };
  const retirementOf = (node: number): AbortController => {
    const known = retirements.get(node) ?? new AbortController();
    retirements.set(node, known);
    return known;
  };
  const readNodes = async (): Promise<void> => {
    nodes = await store.run('listNodes');
    for (const { id, name, state } of nodes)
      if (state === 'retired') retirementOf(id).abort(new Error(`the node ${name} was retired`));
  };
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    unreachable = await options.findUnreachable(nodes);
    isLooking = false;
  };
  const beat = async (): Promise<void> => {
    try {
      await renew();
      failure = undefined;
      await readNodes();
      // A renewal must not wait for another node.
      void look();
      await endLostLeases(options);
    } catch (error) {
      if (isFinal(error)) {
        logger.error(
          { err: error, node: identity.name },
          'this daemon is no longer a node of its cluster; stop it',
        );
        failure = error;
        ended.abort(error);
        return;
      }
      if (failure === undefined && !isClosed)
        logger.warn({ err: error, node: identity.name }, 'cannot renew the lease of this node');
      failure = error;
    }
    if (!isClosed) timer = setTimeout(next, intervalMs).unref();
  };
  const next = (): void => {
    beating = beat();
  };

  take(
    await startNode({
      ...options,
      onWait: (waitMs) =>
        logger.info(
          { node: identity.name, waitMs },
          "waiting for the end of the lease of this node's last start",
        ),
    }),
  );
  await readNodes();
  timer = setTimeout(next, intervalMs).unref();

  return {
    identity,
    epoch: () => lease.epoch,
    lease: () => ({ epoch: lease.epoch, instance: lease.instance }),
    now: () => Date.now() + aheadMs,
    requireLease(isNew = true) {
      if (isNew && lease.state === 'draining') throw leaseLost(identity.name, 'it is being drained');
      if (performance.now() < lease.until - leaseMs / 2) return;
      throw leaseLost(identity.name, 'it cannot renew its lease', failure);
    },
    held: () => held.signal,
    nodes: () => nodes,
    unreachable: () => unreachable,
    retired: (node) => retirementOf(node).signal,
    ended: ended.signal,
    leaseLeftMs: () => Math.max(0, lease.until - performance.now()),
    async close() {
      isClosed = true;
      closing.abort(new Error('the node is being closed'));
      clearTimeout(timer);
      clearTimeout(ending);
      await beating;
      await store.run('releaseLease', identity.id, lease.epoch, lease.instance).catch(() => undefined);
    },
  };
}

/** Ends the leases of nodes that renewed theirs too late, and records that. Any node may do it. */
async function endLostLeases({ store, identity, logger }: MembershipOptions): Promise<void> {
  for (const { id, name, epoch } of await store.run('findEndedLeases')) {
    if (id === identity.id) continue;
    const ended = await loseNode(store, identity, { id, name, epoch });
    if (ended === 'ended') logger.warn({ node: name, epoch }, 'a node has lost its lease');
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Refusal && ['NODE_DUPLICATED', 'NODE_RETIRED'].includes(error.code);
}

function leaseLost(name: string, why: string, cause?: unknown): SkillError {
  const because = cause === undefined ? '' : ` (${thrownText(cause)})`;
  return new SkillError(
    'LEASE_LOST',
    `the node ${name} takes no calls: ${why}${because}. Send the call to another node, or again later`,
    { cause },
  );
}
