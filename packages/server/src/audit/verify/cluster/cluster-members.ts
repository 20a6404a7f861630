import { X509Certificate } from 'node:crypto';
import type { Transactions } from '../../../store/postgres/transactions.ts';
import { sql } from '../../../store/statement.ts';
import { certifiedKey } from '../../tree/tree-key.ts';
import type { ClusterEntry, KnownNode } from './verify-cluster.ts';

/**
 * The nodes in the database, with the keys in their certificates, and the cluster's log. Only certificates of `authority` (PEM)
 * count, which has to come from elsewhere.
 */
export async function clusterMembers(
  { read }: Pick<Transactions, 'read'>,
  authority: string,
): Promise<{ nodes: KnownNode[]; entries: ClusterEntry[] }> {
  const nodes = (await read(
    sql`SELECT id, name, certificate, CAST(state = 'retired' AS INTEGER) AS retired,
      CAST(lease_until > extract(epoch FROM clock_timestamp()) * 1000 AS INTEGER) AS leased FROM nodes ORDER BY id`,
  )) as { id: number; name: string; certificate: string; retired: number; leased: number }[];
  const entries = (await read(
    sql`SELECT sequence, statement, node, signature FROM cluster_log ORDER BY sequence`,
  )) as unknown as ClusterEntry[];
  const trusted = new X509Certificate(authority);
  return {
    nodes: nodes.map(({ id, name, certificate, retired, leased }) => ({
      id,
      name,
      key: certifiedKey(certificate, id, trusted),
      isRetired: retired === 1,
      isLeased: leased === 1,
    })),
    entries,
  };
}
