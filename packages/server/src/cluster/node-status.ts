import type { ListedNode } from '../cli/ports/cluster-actions.ts';
import type { StoredNode } from '../store/operations/nodes.ts';
import type { nodeStatuses } from '../wire/answer/cluster.ts';

/**
 * The status of a node when it was read. `running` and `draining` have a lease; `lost` has let its lease end; `stopped` has
 * none, which is also what a lost node becomes when another one ends its lease.
 */
export function nodeStatus({
  state,
  leaseUntil,
  now,
}: Pick<StoredNode, 'state' | 'leaseUntil' | 'now'>): (typeof nodeStatuses)[number] {
  if (state === 'retired') return 'retired';
  if (leaseUntil === 0) return 'stopped';
  if (leaseUntil < now) return 'lost';
  return state === 'draining' ? 'draining' : 'running';
}

/** A node as lists show it. */
export function listedNode(node: StoredNode): ListedNode {
  const { id, name, advertise, version, epoch, joinedAt } = node;
  return {
    ...{ id, name, status: nodeStatus(node), advertise, version, epoch },
    joinedAt: new Date(joinedAt).toISOString(),
  };
}
