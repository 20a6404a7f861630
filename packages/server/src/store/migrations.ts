import { auditSteps, clusterIndexSteps } from './schema/audit-index-steps.ts';
import { clusterSteps } from './schema/cluster-steps.ts';
import { keysSteps } from './schema/keys-steps.ts';
import { shippedSteps } from './schema/shipped-steps.ts';
import type { Dialect, Steps } from './schema/step.ts';
import { storeSteps } from './schema/store-steps.ts';
import { rowsOf, type Statement, sql, type Transaction } from './statement.ts';

/** What a database can hold. `keys` and the audit index have files of their own in SQLite; PostgreSQL holds everything. */
const schemas = {
  ...{ store: storeSteps, keys: keysSteps, cluster: clusterSteps, shipped: shippedSteps },
  ...{ audit: auditSteps, clusterIndex: clusterIndexSteps },
};

/** A database with a newer schema than this program knows. */
class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/**
 * Brings a database to a current schema; its caller excludes other migrations. Throws a `NewerSchemaError`, which changes
 * nothing.
 */
export function* migrate(
  dialect: Dialect,
  name: keyof typeof schemas,
  through = schemas[name].length,
): Transaction<void> {
  yield plain(
    `CREATE TABLE IF NOT EXISTS migrations (
       name TEXT NOT NULL, version ${dialect.integer} NOT NULL, time TEXT NOT NULL, PRIMARY KEY (name, version)
     )${dialect.table}`,
  );
  yield plain(
    `CREATE TABLE IF NOT EXISTS expansions (
       name TEXT NOT NULL, version ${dialect.integer} NOT NULL, PRIMARY KEY (name, version)
     )${dialect.table}`,
  );
  const version = yield* schemaVersion(name);
  const steps: Steps = schemas[name].slice(0, through);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    for (const text of step(dialect)) yield plain(text);
    yield sql`INSERT INTO migrations (name, version, time) VALUES (${name}, ${index + 1}, ${new Date().toISOString()})`;
    if (step.isExpansion) yield sql`INSERT INTO expansions (name, version) VALUES (${name}, ${index + 1})`;
  }
}

/**
 * The version of a schema in a database with migrations. Throws a `NewerSchemaError`, unless it is one version newer and only adds
 * to this one.
 */
export function* schemaVersion(name: keyof typeof schemas): Transaction<number> {
  const [found] = yield* rowsOf<{ version: number | null }>(
    sql`SELECT max(version) AS version FROM migrations WHERE name = ${name}`,
  );
  const version = found?.version ?? 0;
  const known = schemas[name].length;
  if (version > known && !(version === known + 1 && (yield* isExpansion(name, version))))
    throw new NewerSchemaError(
      `its schema has version ${version}, and this Ambit knows versions up to ${known}; use the newer Ambit, or restore a backup from before the upgrade`,
    );
  return version;
}

/** Whether the step to this version only added to the schema. */
function* isExpansion(name: keyof typeof schemas, version: number): Transaction<boolean> {
  const found = yield* rowsOf(sql`SELECT name FROM expansions WHERE name = ${name} AND version = ${version}`);
  return found.length > 0;
}

function plain(text: string): Statement {
  return { parts: [text], values: [] };
}
