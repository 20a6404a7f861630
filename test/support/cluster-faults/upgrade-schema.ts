import { setTimeout as delay } from 'node:timers/promises';
import { asAdministrator } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { type FaultRound, leaseMs, oneOf } from './fault.ts';
import { database } from './fault-world.ts';

/** Tables that are read and written all the time, by the name of their part of the schema. */
const tables: Readonly<Record<string, readonly string[]>> = {
  store: ['ambit.claims', 'ambit.workspaces'],
  keys: ['ambit.keys', 'ambit.revisions'],
  cluster: ['ambit.nodes', 'ambit.documents'],
  shipped: ['ambit.audit_logs', 'ambit.audit_events'],
  clusterIndex: ['ambit_audit.calls', 'ambit_audit.indexed'],
};

/**
 * Upgrades the schema as the first node of the next version does whose schema only adds to this one, and restarts a node of this
 * version under it. Then takes the upgrade back, which only a harness can do.
 */
export async function upgradeSchema({ world, random, report }: FaultRound): Promise<string> {
  const upgrade = async (changes: (part: string, schema: string, names: readonly string[]) => string[]) => {
    for (const [part, names] of Object.entries(tables)) {
      const schema = part === 'clusterIndex' ? 'ambit_audit' : 'ambit';
      const statements = ["SET LOCAL lock_timeout = '20s'", ...changes(part, schema, names)];
      await asAdministrator(world.server, `BEGIN; ${statements.join(';\n')}; COMMIT`, database);
    }
  };
  const newest = (part: string, schema: string): string =>
    `(SELECT max(version) FROM ${schema}.migrations WHERE name = '${part}')`;
  await upgrade((part, schema, names) => [
    ...names.map((name) => `ALTER TABLE ${name} ADD COLUMN added TEXT NOT NULL DEFAULT 'x'`),
    `CREATE TABLE ${schema}.added_to_${part} (one INTEGER PRIMARY KEY)`,
    `INSERT INTO ${schema}.expansions (name, version) VALUES ('${part}', ${newest(part, schema)} + 1)`,
    `INSERT INTO ${schema}.migrations (name, version, time, digest) VALUES ('${part}', ${newest(part, schema)} + 1, '', '')`,
  ]);
  await delay(random() * leaseMs);
  const name = oneOf(world.names, random);
  const isKilled = random() < 0.5;
  await world.node(name).stop(isKilled ? 'SIGKILL' : 'SIGTERM');
  await world.restart(name);
  await world.ready(name);
  const nodes = await world.cluster.command(name, 'cluster', 'nodes');
  if (nodes.code !== 0)
    report(`no command works under a schema of one version newer: ${nodes.stderr.slice(-500)}`);
  await delay(random() * leaseMs);
  await upgrade((part, schema, names) => [
    ...names.map((each) => `ALTER TABLE ${each} DROP COLUMN added`),
    `DROP TABLE ${schema}.added_to_${part}`,
    `DELETE FROM ${schema}.expansions WHERE name = '${part}' AND version = ${newest(part, schema)}`,
    `DELETE FROM ${schema}.migrations WHERE name = '${part}' AND version = ${newest(part, schema)}`,
  ]);
  return `upgraded the schema and ${isKilled ? 'killed' : 'stopped'} ${name} under it`;
}
