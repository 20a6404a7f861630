import { SkillError } from '@ambit/core';
import type { Environment } from '@ambit/runtime';
import { nodeFiles } from '../cluster/identity/node-files.ts';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import type { DoctorCheck } from './doctor-report.ts';

const name = 'cluster';

/** Whether the cluster still accepts the node of the data directory. Empty without a node, and while the database is away. */
export async function clusterCheck(
  config: StoreConfig,
  environment: Environment,
): Promise<readonly DoctorCheck[]> {
  const settings = postgresSettings(config, environment);
  if (settings === null) return [];
  const store = openPostgresStore(settings, { use: 'beside' });
  try {
    const identity = nodeFiles(config.dataDir).read();
    if (identity === undefined) return [];
    const node = (await store.run('listNodes')).find(({ id }) => id === identity.id);
    const refused = 'the cluster refuses its calls and its changes, and a daemon cannot start';
    if (node === undefined)
      return [
        {
          name,
          status: 'missing',
          found: `the database has no node ${identity.name}`,
          meaning: refused,
          fix: 'Correct store.postgres, or let an empty data directory join with "ambit cluster join"',
        },
      ];
    if (node.state === 'retired')
      return [
        {
          name,
          status: 'missing',
          found: `the node ${node.name} was retired`,
          meaning: refused,
          fix: 'Stop its daemon. It cannot return: let an empty data directory join with "ambit cluster join"',
        },
      ];
    const found = `node ${node.name}${node.state === 'draining' ? ', draining' : ''}`;
    return [{ name, status: 'ok', found, meaning: '"ambit cluster nodes" lists all nodes' }];
  } catch (error) {
    // The check of the store reports it.
    if (error instanceof SkillError) return [];
    return [
      {
        name,
        status: 'missing',
        found: (error as Error).message,
        meaning: 'a daemon cannot start',
        fix: 'Do what the message says, and run ambit doctor again',
      },
    ];
  } finally {
    await store.close();
  }
}
