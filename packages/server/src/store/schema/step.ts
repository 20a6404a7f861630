/** The terms in which the two databases differ. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  bytes: 'BLOB' | 'BYTEA';
  integer: 'INTEGER' | 'BIGINT';
  /** After a table's columns. */
  table: ' STRICT' | '';
}

export const sqliteDialect: Dialect = { name: 'sqlite', bytes: 'BLOB', integer: 'INTEGER', table: ' STRICT' };
export const postgresDialect: Dialect = { name: 'postgres', bytes: 'BYTEA', integer: 'BIGINT', table: '' };

/**
 * The steps from an empty database to a current schema, one per version, each a list of statements. The first one may be
 * edited until 0.2.0 is released. Never edit a released step: its digest is stored. Add the next one below it.
 */
export type Steps = readonly Step[];

interface Step {
  (dialect: Dialect): readonly string[];
  /**
   * Whether the version before can use a database after it, because it only adds what that version does not need. Then nodes
   * of a cluster can be replaced one after the other.
   */
  isExpansion?: boolean;
}
