import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../cli/ports/cli-error.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import type { Store } from '../../store/store.ts';
import type { NodeFiles, NodeIdentity } from '../identity/node-files.ts';
import { recordChange } from './cluster-statement.ts';

/** A start of a node that the database accepted. */
export interface StartedNode {
  instance: string;
  node: StoredNode;
  /** When the lease was asked for, on the clock of `performance.now`. */
  askedAt: number;
}

export interface StartNodeOptions {
  store: Pick<Store, 'run'>;
  files: Pick<NodeFiles, 'update'>;
  identity: NodeIdentity;
  advertise: string;
  version: string;
  leaseMs: number;
  /** Called once if the start waits for the end of a lease. */
  onWait?(leaseMs: number): void;
  signal?: AbortSignal;
}

const lookMs = 500;

/**
 * Starts a node under a new epoch. After a crash, waits for the end of the lease that the crashed daemon had. Rejects with
 * `NODE_DUPLICATED` if another daemon has started with the same identity, which a copied data directory has; with
 * `NODE_RETIRED`, `NODE_UNUSABLE` and `STORE_UNAVAILABLE`.
 */
export async function startNode(options: StartNodeOptions): Promise<StartedNode> {
  const { store, files, identity, advertise, version, leaseMs, onWait, signal } = options;
  const instance = randomUUID();
  const known = [identity.instance, identity.nextInstance, instance].filter((each) => each !== null);
  // Before the database has it: after a crash in between, either may be the last start.
  await files.update({ ...identity, nextInstance: instance });
  for (let renewed: number | undefined; ; ) {
    const askedAt = performance.now();
    const answer = await store.run('startNode', identity.id, {
      instance,
      known,
      advertise,
      version,
      leaseMs,
    });
    if (answer === undefined) throw unknownNode(identity);
    const { node } = answer;
    if (answer.isStarted) {
      const record = { ...identity, instance, nextInstance: null };
      await files.update(record);
      Object.assign(identity, record);
      return { instance, node, askedAt };
    }
    if (node.state === 'retired') throw retired(identity);
    const isOther = node.instance !== null && !known.includes(node.instance);
    if (isOther || (renewed !== undefined && node.leaseUntil > renewed)) {
      await recordDuplicate(store, identity, node);
      throw duplicated(identity, node, isOther);
    }
    if (renewed === undefined) onWait?.(node.leaseUntil - node.now);
    renewed = node.leaseUntil;
    await delay(lookMs, undefined, signal === undefined ? {} : { signal });
  }
}

async function recordDuplicate(
  store: Pick<Store, 'run'>,
  identity: NodeIdentity,
  { id, name, epoch }: StoredNode,
): Promise<void> {
  await recordChange(store, identity, { kind: 'node.duplicated', node: id, name, epoch }, (entry) =>
    store.run('addClusterEntry', entry),
  );
}

function unknownNode({ id, name }: NodeIdentity): CliError {
  return new CliError(
    'NODE_UNUSABLE',
    `the database has no node ${name} (${id}); it may be another database, or a backup from before the node joined. Correct store.postgres, or let a new data directory join with "ambit cluster join"`,
  );
}

function retired({ name }: NodeIdentity): CliError {
  return new CliError(
    'NODE_RETIRED',
    `the node ${name} was retired and cannot return; let a new data directory join with "ambit cluster join"`,
  );
}

function duplicated({ name }: NodeIdentity, { advertise }: StoredNode, hasStarted: boolean): CliError {
  return new CliError(
    'NODE_DUPLICATED',
    hasStarted
      ? `another daemon has been started as the node ${name} (at ${advertise}), with a copy of this data directory, or with a newer state of it. Use only one of them: let the other data directory join as a node of its own with "ambit cluster join"`
      : `another daemon runs as the node ${name} (at ${advertise}), so this data directory is a copy of its. Let this one join as a node of its own: remove its folder "cluster", and run "ambit cluster join"`,
  );
}
