import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../../errors/refusal.ts';
import type { ShippedLog, StoredNode } from '../../store/operations/nodes.ts';
import type { OperationResult } from '../../store/operations.ts';
import type { Store } from '../../store/store.ts';
import type { NodeFiles, NodeIdentity } from '../identity/node-files.ts';
import { recordChange } from './cluster-statement.ts';

/** A start of a node that the database accepted. */
export interface StartedNode {
  instance: string;
  node: StoredNode;
  /** The time at which the lease was requested, on the clock of `performance.now`. */
  askedAt: number;
}

export interface StartNodeOptions {
  store: Pick<Store, 'run'>;
  files: Pick<NodeFiles, 'update'>;
  identity: NodeIdentity;
  advertise: string;
  version: string;
  leaseMs: number;
  /** Returns the difference between the audit log here and this log in the database; `undefined` if it continues that. */
  logDifference(stored: ShippedLog): string | undefined;
  /** Ends the wait for the end of a lease. */
  signal?: AbortSignal | undefined;
  /** Called once if the start waits for the end of a lease. */
  onWait?(leaseMs: number): void;
}

const lookMs = 500;

/**
 * Starts a node under a new epoch. After a crash, waits for the end of the lease that the crashed daemon had. Rejects with
 * `NODE_DUPLICATED` if another daemon has started with the same identity, which a copied data directory has, or if its log does
 * not continue the stored one; with `NODE_RETIRED`, `NODE_UNUSABLE` and `STORE_UNAVAILABLE`, and with the reason of `signal`.
 */
export async function startNode(options: StartNodeOptions): Promise<StartedNode> {
  const { store, files, identity, advertise, version, leaseMs, signal, onWait } = options;
  const remember = async (change: Pick<NodeIdentity, 'instance' | 'nextInstance'>): Promise<void> => {
    await files.update({ ...identity, ...change });
    Object.assign(identity, change);
  };
  const { nextInstance: pending } = identity;
  // The start before this one may have been accepted although its answer was lost.
  if (pending !== null && (await acceptedInstance(store, identity)) === pending)
    await remember({ instance: pending, nextInstance: null });
  const instance = randomUUID();
  const known = [identity.instance, pending, instance].filter((each) => each !== null);
  // Before the database has it: after a crash in between, either may be the last start.
  await remember({ instance: identity.instance, nextInstance: instance });
  let compared: ShippedLog | null = null;
  for (let renewed: number | undefined; ; ) {
    const askedAt = performance.now();
    const answer: OperationResult<'startNode'> = await store.run('startNode', identity.id, {
      instance,
      known,
      compared,
      advertise,
      version,
      leaseMs,
    });
    if (answer === undefined) throw unknownNode(identity);
    const { node } = answer;
    const log: ShippedLog | null = answer.log;
    if (answer.isStarted) {
      await remember({ instance, nextInstance: null });
      return { instance, node, askedAt };
    }
    if (node.state === 'retired') throw retired(identity);
    const difference = log === null ? undefined : options.logDifference(log);
    let refusal: Refusal | undefined;
    if (node.instance !== null && !known.includes(node.instance)) refusal = startedElsewhere(identity, node);
    else if (difference !== undefined) refusal = otherLog(identity, node, difference);
    else if (renewed !== undefined && node.leaseUntil > renewed) refusal = runsElsewhere(identity, node);
    if (refusal !== undefined) {
      await recordDuplicate(store, identity, node);
      throw refusal;
    }
    compared = log;
    // Only the log had to be compared.
    if (node.leaseUntil <= node.now) continue;
    if (renewed === undefined) onWait?.(node.leaseUntil - node.now);
    renewed = node.leaseUntil;
    await delay(lookMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

async function acceptedInstance(
  store: Pick<Store, 'run'>,
  { id }: NodeIdentity,
): Promise<string | null | undefined> {
  return (await store.run('listNodes')).find((node) => node.id === id)?.instance;
}

async function recordDuplicate(
  store: Pick<Store, 'run'>,
  identity: NodeIdentity,
  { id, name, epoch }: StoredNode,
): Promise<void> {
  const event = { kind: 'node.duplicated' as const, node: id, name, epoch };
  await recordChange(
    store,
    identity,
    () => event,
    (entry) => store.run('addClusterEntry', entry),
  );
}

function unknownNode({ id, name }: NodeIdentity): Refusal {
  return new Refusal(
    'NODE_UNUSABLE',
    `the database has no node ${name} (${id}); it may be another database, or a backup from before the node joined. Correct store.postgres, or let an empty data directory join with "ambit cluster join"`,
  );
}

function retired({ name }: NodeIdentity): Refusal {
  return new Refusal(
    'NODE_RETIRED',
    `the node ${name} was retired and cannot return; let an empty data directory join with "ambit cluster join"`,
  );
}

const joinAnew = 'let an empty data directory join as a node of its own with "ambit cluster join"';

function startedElsewhere({ name }: NodeIdentity, { advertise }: StoredNode): Refusal {
  return new Refusal(
    'NODE_DUPLICATED',
    `another daemon has been started as the node ${name} (at ${advertise}), with a copy of this data directory, or with a newer state of it. Use only one of them, and ${joinAnew}`,
  );
}

function otherLog({ name }: NodeIdentity, { advertise }: StoredNode, difference: string): Refusal {
  return new Refusal(
    'NODE_DUPLICATED',
    `the audit log of this data directory does not continue the one of the node ${name} (at ${advertise}): ${difference}. So it is a copy of the node's data directory, or an older state of it. Start the node with the data directory of its last start, or ${joinAnew}`,
  );
}

function runsElsewhere({ name }: NodeIdentity, { advertise }: StoredNode): Refusal {
  return new Refusal(
    'NODE_DUPLICATED',
    `another daemon runs as the node ${name} (at ${advertise}), so this data directory is a copy of the running one. To use both, ${joinAnew}`,
  );
}
