import type { Environment } from '@ambit/runtime';
import type { ReadAuditLogOptions } from '../audit/index/read-audit-log.ts';
import { nodeFiles } from '../cluster/identity/node-files.ts';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { dataFiles } from './data-dir.ts';

/** The log of a configuration and its index: of the node whose data directory it names, if that is one of a cluster. */
export function auditSource(
  config: StoreConfig,
  environment: Environment,
): Pick<ReadAuditLogOptions, 'file' | 'postgres' | 'node'> {
  const file = dataFiles(config).audit;
  const postgres = postgresSettings(config, environment);
  if (config.cluster === null) return { file, postgres };
  const identity = nodeFiles(config.dataDir).read();
  // A data directory that has not joined yet has a log of its own, and the database has the index of the cluster.
  if (identity === undefined) return { file, postgres: null };
  return { file, postgres, node: { node: identity.id, name: identity.name } };
}
