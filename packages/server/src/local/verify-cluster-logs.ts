import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { ClusterVerification } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import { clusterMembers } from '../audit/verify/cluster/cluster-members.ts';
import { verifyCluster } from '../audit/verify/cluster/verify-cluster.ts';
import { nodeFiles } from '../cluster/identity/node-files.ts';
import type { Config } from '../config/config.ts';
import { dataFiles } from '../setup/data-dir.ts';
import { postgresSettings } from '../store/postgres/configured-postgres.ts';
import { postgresAdvice } from '../store/postgres/postgres-advice.ts';
import { transactionsIn } from '../store/postgres/transactions.ts';

/**
 * Verifies the logs of all nodes of the cluster that the data directory belongs to, and trusts its copy of the authority's
 * certificate. Rejects with `USAGE_INVALID`, and with `AUDIT_UNAVAILABLE` if the database cannot be read.
 */
export async function verifyClusterLogs(
  config: Config,
  environment: Environment,
  options: { onProgress(verified: number, of: number): void; signal: AbortSignal },
): Promise<ClusterVerification> {
  const settings = postgresSettings(config, environment);
  const identity = nodeFiles(config.dataDir).read();
  if (settings === null || identity === undefined)
    throw new UsageError(
      `${config.dataDir} is not a node of a cluster; run this at a node, or verify one log with "ambit audit verify"`,
    );
  const transactions = transactionsIn({ ...settings, poolSize: 1 }, { use: 'beside' });
  try {
    const { nodes, entries } = await clusterMembers(transactions, identity.authority);
    const file = dataFiles(config).audit;
    const local = existsSync(file) ? { file, node: identity.id } : undefined;
    return await verifyCluster({ transactions, nodes, entries, local, ...options });
  } catch (error) {
    if (error === options.signal.reason || error instanceof SkillError) throw error;
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the logs in ${settings.target.shown} cannot be verified: ${postgresAdvice(error)}`,
      { cause: error },
    );
  } finally {
    await transactions.close();
  }
}
