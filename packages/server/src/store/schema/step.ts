/** How a database names what the two differ in. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  bytes: 'BLOB' | 'BYTEA';
  integer: 'INTEGER' | 'BIGINT';
  /** After a table's columns. */
  table: ' STRICT' | '';
}

/**
 * The steps from an empty database to a current schema, one per version, each a list of statements. Never edit a released
 * step. Add the next one below it.
 */
export type Steps = readonly Step[];

interface Step {
  (dialect: Dialect): readonly string[];
  /** Whether the version before can use a database after it: it only adds what that version does not need. */
  isExpansion?: boolean;
}

/** A step that only adds, so that nodes of a cluster can be replaced one after the other. */
export function expansion(step: Step): Step {
  return Object.assign(step, { isExpansion: true });
}
