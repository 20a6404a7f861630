import type { StoredNode } from '../store/operations/nodes.ts';

export const nodeStatuses = ['running', 'draining', 'stopped', 'lost', 'retired'] as const;

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
