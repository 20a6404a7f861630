import { createPrivateKey, sign } from 'node:crypto';
import { canonicalJson } from '@ambit/core/json';
import type { ClusterEntry, EntryRefusal, StoredNode } from '../../store/operations/nodes.ts';
import type { Store } from '../../store/store.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { signerRetired } from './require-not-retired.ts';

/** An event in the life of a node. */
interface NodeEvent {
  kind: 'node.joined' | 'node.retired' | 'node.lost' | 'node.duplicated';
  node: number;
  name: string;
  /** The node's epoch before the event. */
  epoch: number;
  /** The last event of a lost or retired node. The calls that it began up to there and did not end are interrupted. */
  through?: number;
}

/** A revision of the policy was written. */
interface PolicyEvent {
  kind: 'policy.changed';
  revision: number;
  /** SHA-256 of its content, hex. */
  digest: string;
}

const triesMax = 20;

/**
 * Records an event in the cluster's log, signed by `signer`. `change` makes the change and adds the entry in one transaction. It
 * resolves to `late` if another entry has taken its place meanwhile, or if the event is no longer true. Then `read` is called
 * again, and the change is tried again. Resolves to its result. Rejects with `NODE_RETIRED` if the signer is retired.
 */
export async function recordChange<Event extends NodeEvent | PolicyEvent, Result extends string>(
  store: Pick<Store, 'run'>,
  signer: Pick<NodeIdentity, 'cluster' | 'id' | 'key'>,
  read: () => Event | Promise<Event>,
  change: (entry: ClusterEntry, event: Event) => Promise<Result | EntryRefusal>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const event = await read();
    const { sequence, time } = await store.run('nextClusterEntry');
    const statement = canonicalJson({ cluster: signer.cluster, sequence, time, by: signer.id, ...event });
    const signature = sign(null, Buffer.from(statement), createPrivateKey(signer.key)).toString('base64');
    const result = await change({ sequence, statement, node: signer.id, signature }, event);
    if (result === 'signer-retired') throw signerRetired();
    if (result !== 'late') return result as Result;
    if (tries === triesMax)
      throw new Error(`the log of the cluster changed ${triesMax} times meanwhile; try again`);
  }
}

/** Ends the lease of a node that did not renew it, if its epoch is still this one. */
export function loseNode(
  store: Pick<Store, 'run'>,
  signer: Pick<NodeIdentity, 'cluster' | 'id' | 'key'>,
  node: Pick<StoredNode, 'id' | 'name' | 'epoch'>,
): Promise<'ended' | 'passed'> {
  return recordChange(store, signer, lastEvent(store, 'node.lost', node), (entry, { through }) =>
    store.run('endLease', node.id, node.epoch, through, entry),
  );
}

/** Retires a node. */
export function retireNode(
  store: Pick<Store, 'run'>,
  signer: Pick<NodeIdentity, 'cluster' | 'id' | 'key'>,
  node: Pick<StoredNode, 'id' | 'name' | 'epoch'>,
): Promise<'retired' | 'passed'> {
  return recordChange(store, signer, lastEvent(store, 'node.retired', node), (entry, { through }) =>
    store.run('retireNode', node.id, through, entry),
  );
}

/** Reads how far the log of the node is: what it began up to there is interrupted. */
function lastEvent(
  store: Pick<Store, 'run'>,
  kind: 'node.lost' | 'node.retired',
  { id, name, epoch }: Pick<StoredNode, 'id' | 'name' | 'epoch'>,
) {
  return async () => {
    const log = await store.run('findLog', id);
    return { kind, node: id, name, epoch, through: log?.through ?? 0 };
  };
}
