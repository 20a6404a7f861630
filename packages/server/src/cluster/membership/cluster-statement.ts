import { createPrivateKey, sign } from 'node:crypto';
import { canonicalJson } from '@ambit/core/internal';
import { CliError } from '../../cli/ports/cli-error.ts';
import type { ClusterEntry, EntryRefusal } from '../../store/operations/nodes.ts';
import type { Store } from '../../store/store.ts';
import type { NodeIdentity } from '../identity/node-files.ts';

/** What happened to a node. */
interface NodeEvent {
  kind: 'node.joined' | 'node.retired' | 'node.lost' | 'node.duplicated';
  node: number;
  name: string;
  /** The node's epoch before the event. */
  epoch: number;
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
 * Records an event in the cluster's log, signed by `signer`. `change` makes the change and adds the entry in one transaction; it
 * resolves to `late` if another entry has taken its place meanwhile, and is then tried again. Resolves to its result. Rejects with
 * `NODE_RETIRED` if the signer is retired.
 */
export async function recordChange<Result extends string>(
  store: Pick<Store, 'run'>,
  signer: Pick<NodeIdentity, 'cluster' | 'id' | 'key'>,
  event: NodeEvent | PolicyEvent,
  change: (entry: ClusterEntry) => Promise<Result | EntryRefusal>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const { sequence, time } = await store.run('nextClusterEntry');
    const statement = canonicalJson({ cluster: signer.cluster, sequence, time, by: signer.id, ...event });
    const signature = sign(null, Buffer.from(statement), createPrivateKey(signer.key)).toString('base64');
    const result = await change({ sequence, statement, node: signer.id, signature });
    if (result === 'signer-retired')
      throw new CliError(
        'NODE_RETIRED',
        'this node was retired, so the cluster takes no changes from it; run the command on another node',
      );
    if (result !== 'late') return result as Result;
    if (tries === triesMax)
      throw new Error(`the log of the cluster changed ${triesMax} times meanwhile; try again`);
  }
}
