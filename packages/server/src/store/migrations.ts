import { hash } from 'node:crypto';
import { developmentSchema } from '../sqlite/development-schema.ts';
import { auditSteps, clusterIndexSteps } from './schema/audit-index-steps.ts';
import { clusterSteps } from './schema/cluster-steps.ts';
import { keysSteps } from './schema/keys-steps.ts';
import { shippedSteps } from './schema/shipped-steps.ts';
import { type Dialect, postgresDialect, type Steps, sqliteDialect } from './schema/step.ts';
import { storeSteps } from './schema/store-steps.ts';
import { rowsOf, type Statement, sql, type Transaction } from './statement.ts';

/** The contents of a database. `keys` and the audit index have files of their own in SQLite; PostgreSQL holds everything. */
const schemas = {
  store: storeSteps,
  keys: keysSteps,
  cluster: clusterSteps,
  shipped: shippedSteps,
  audit: auditSteps,
  clusterIndex: clusterIndexSteps,
};

/** Brings a database to a current schema. The caller excludes other migrations. Leaves it unchanged if `schemaVersion` throws. */
export function* migrate(dialect: Dialect, name: keyof typeof schemas): Transaction<void> {
  yield plain(
    `CREATE TABLE IF NOT EXISTS migrations (
       name TEXT NOT NULL, version ${dialect.integer} NOT NULL, time TEXT NOT NULL, digest TEXT NOT NULL,
       PRIMARY KEY (name, version)
     )${dialect.table}`,
  );
  yield plain(
    `CREATE TABLE IF NOT EXISTS expansions (
       name TEXT NOT NULL, version ${dialect.integer} NOT NULL, PRIMARY KEY (name, version)
     )${dialect.table}`,
  );
  const version = yield* schemaVersion(name);
  for (const [index, step] of schemas[name].entries()) {
    if (index < version) continue;
    for (const text of step(dialect)) yield plain(text);
    yield sql`INSERT INTO migrations (name, version, time, digest)
      VALUES (${name}, ${index + 1}, ${new Date().toISOString()}, ${digestOf(name, index + 1)})`;
    if (step.isExpansion) yield sql`INSERT INTO expansions (name, version) VALUES (${name}, ${index + 1})`;
  }
}

/**
 * The version of a schema in a database with migrations. Throws for a development version, and for a newer one, unless it is
 * one version newer and only adds to this one.
 */
export function* schemaVersion(name: keyof typeof schemas): Transaction<number> {
  // All columns, because a table of a development version has no `digest`.
  const found = yield* rowsOf<{ version: number; digest?: string }>(
    sql`SELECT * FROM migrations WHERE name = ${name} ORDER BY version DESC`,
  );
  const known = schemas[name].length;
  const isDifferent = ({ version, digest }: (typeof found)[number]): boolean =>
    digest === undefined || (version <= known && digest !== digestOf(name, version));
  if (found.some(isDifferent)) throw new Error(`it ${developmentSchema}`);
  const version = found[0]?.version ?? 0;
  if (version > known && !(version === known + 1 && (yield* isExpansion(name, version))))
    throw new Error(
      `its schema has version ${version}, and this Ambit knows versions up to ${known}; use the newer Ambit, or restore a backup from before the upgrade`,
    );
  return version;
}

/** The digest of a version of a schema, in both databases. */
function digestOf(name: keyof typeof schemas, version: number): string {
  const steps: Steps = schemas[name].slice(0, version);
  const texts = steps.map((step) => [sqliteDialect, postgresDialect].map((dialect) => step(dialect)));
  return hash('sha256', JSON.stringify(texts));
}

/** Whether the step to this version only added to the schema. */
function* isExpansion(name: keyof typeof schemas, version: number): Transaction<boolean> {
  const found = yield* rowsOf(sql`SELECT name FROM expansions WHERE name = ${name} AND version = ${version}`);
  return found.length > 0;
}

function plain(text: string): Statement {
  return { parts: [text], values: [] };
}
