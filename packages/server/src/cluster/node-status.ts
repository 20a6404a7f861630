import type { ClusterNode, nodeStatuses } from '@ambit/api';
import type { StoredNode } from '../store/operations/nodes.ts';

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

/** A node in a list. */
export type ListedNode = Omit<ClusterNode, 'leaseUntil' | 'load'>;

/** A node as lists show it, among all `nodes`. */
export function listedNode(node: StoredNode, nodes: readonly StoredNode[]): ListedNode {
  const { id, name, advertise, version, epoch, joinedAt } = node;
  const status = nodeStatus(node);
  const hasLease = status === 'running' || status === 'draining';
  const unreachable = hasLease ? (JSON.parse(node.unreachable) as number[]) : [];
  return {
    id,
    name,
    status,
    advertise,
    version,
    epoch,
    cannotReach: nodes.filter((each) => unreachable.includes(each.id)).map((each) => each.name),
    joinedAt: new Date(joinedAt).toISOString(),
  };
}
