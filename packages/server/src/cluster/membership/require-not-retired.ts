import { Refusal } from '../../errors/refusal.ts';
import type { Store } from '../../store/store.ts';
import { nodeFiles } from '../identity/node-files.ts';

/**
 * Rejects with `NODE_RETIRED` if the data directory is a node that the cluster has retired: a command with it must not change
 * what the other nodes share.
 */
export async function requireNotRetired(store: Pick<Store, 'run'>, dataDir: string): Promise<void> {
  const identity = nodeFiles(dataDir).read();
  if (identity === undefined) return;
  const node = (await store.run('listNodes')).find(({ id }) => id === identity.id);
  if (node?.state === 'retired') throw signerRetired();
}

export function signerRetired(): Refusal {
  return new Refusal(
    'NODE_RETIRED',
    'this node was retired, so the cluster takes no changes from it; run the command on another node',
  );
}
