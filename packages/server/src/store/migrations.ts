import { clusterIndexSteps, shippedSteps } from './cluster-audit-steps.ts';
import { rowsOf, type Statement, sql, type Transaction } from './statement.ts';

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
type Steps = readonly Step[];

interface Step {
  (dialect: Dialect): readonly string[];
  /** Whether the version before can use a database after it: it only adds what that version does not need. */
  isExpansion?: boolean;
}

/** A step that only adds, so that nodes of a cluster can be replaced one after the other. */
function expansion(step: Step): Step {
  return Object.assign(step, { isExpansion: true });
}

const storeSteps: Steps = [
  ({ bytes, integer, table }) => [
    // What is stored for each idempotency key. Times are milliseconds since the epoch.
    `CREATE TABLE claims (
       name         TEXT PRIMARY KEY,     -- SHA-256 of caller, route and key
       owner        TEXT NOT NULL,        -- SHA-256 of the caller, shortened
       execution_id TEXT NOT NULL,
       fingerprint  TEXT NOT NULL,        -- of the request
       claimed_at   ${integer} NOT NULL,
       bytes        ${integer} NOT NULL,  -- of the body, 0 without one
       head         TEXT,                 -- JSON: the response without its body; NULL if none is stored
       body         ${bytes}
     )${table}`,
    'CREATE INDEX claims_by_age ON claims (claimed_at)',
    // Sums need not read responses.
    'CREATE INDEX claims_by_owner ON claims (owner, bytes)',
    'CREATE INDEX responses_by_owner ON claims (owner, claimed_at) WHERE bytes > 0',

    `CREATE TABLE workspaces (
       id     TEXT PRIMARY KEY,
       record TEXT NOT NULL               -- JSON: the workspace with its list of files
     )${table}`,
    // The contents of files, each once in a workspace.
    `CREATE TABLE contents (
       workspace TEXT NOT NULL,
       sha256    TEXT NOT NULL,
       content   ${bytes} NOT NULL,
       PRIMARY KEY (workspace, sha256)
     )${table}`,

    // The state of skills: a row for each skill with its sums, and a row for each key.
    `CREATE TABLE state_sizes (
       skill TEXT PRIMARY KEY,
       keys  ${integer} NOT NULL,
       bytes ${integer} NOT NULL          -- of its keys and values in UTF-8
     )${table}`,
    `CREATE TABLE state (
       skill TEXT NOT NULL,
       key   TEXT NOT NULL,               -- JSON
       bytes ${integer} NOT NULL,         -- of the key and the value
       value TEXT NOT NULL,               -- JSON
       PRIMARY KEY (skill, key)
     )${table}`,
  ],
  ({ integer, table }) => [
    // What the operator decided about installed skills. `record` is JSON.
    `CREATE TABLE approvals (
       id     TEXT NOT NULL,              -- of the skill
       digest TEXT NOT NULL,
       record TEXT NOT NULL,
       PRIMARY KEY (id, digest)
     )${table}`,
    `CREATE TABLE revocations (
       subject TEXT PRIMARY KEY,          -- a digest, or publisher: and a name
       record  TEXT NOT NULL
     )${table}`,
    // One row: a number that grows with each decision, so that a reader knows whether to read again.
    `CREATE TABLE decisions (
       id       ${integer} PRIMARY KEY,
       revision ${integer} NOT NULL
     )${table}`,
  ],
  ({ integer, table }) => [
    // The last accepted version of each deny list. Its entries are revocations.
    `CREATE TABLE deny_lists (
       url        TEXT PRIMARY KEY,
       serial     ${integer} NOT NULL,
       sha256     TEXT NOT NULL,          -- of its statement, hex
       subjects   TEXT NOT NULL,          -- JSON: what it lists
       checked_at ${integer} NOT NULL     -- milliseconds since the epoch
     )${table}`,
  ],
  expansion(({ integer }) => [
    // Who runs the call, in a cluster: its node, and the node's epoch when it claimed the name.
    `ALTER TABLE claims ADD COLUMN node ${integer}`,
    `ALTER TABLE claims ADD COLUMN epoch ${integer}`,
    // Which node holds it now, under which epoch.
    `ALTER TABLE workspaces ADD COLUMN node ${integer}`,
    `ALTER TABLE workspaces ADD COLUMN epoch ${integer}`,
  ]),
];

const keysSteps: Steps = [
  ({ integer, table }) => [
    `CREATE TABLE keys (
       name       TEXT PRIMARY KEY,
       sha256     TEXT NOT NULL UNIQUE,   -- of the key, hex
       record     TEXT NOT NULL,          -- JSON: the rest of the record, without revokedAt
       revoked_at TEXT,                   -- ISO 8601
       position   ${integer} NOT NULL     -- the revision in which it was created
     )${table}`,
    // A number for each subject that grows with each change, so that a reader knows whether to read again.
    `CREATE TABLE revisions (
       subject  TEXT PRIMARY KEY,
       revision ${integer} NOT NULL
     )${table}`,
  ],
];

/** PostgreSQL only, beside the store. Times are milliseconds since the epoch, of the database's clock. */
const clusterSteps: Steps = [
  () => [
    // One row, which each change of the list of nodes locks.
    `CREATE TABLE cluster (
       one        INTEGER PRIMARY KEY CHECK (one = 1),
       id         TEXT NOT NULL,          -- a UUID
       authority  TEXT NOT NULL,          -- its certificate, PEM
       created_at BIGINT NOT NULL
     )`,
    `CREATE TABLE nodes (
       id          INTEGER PRIMARY KEY,   -- never used again
       name        TEXT NOT NULL UNIQUE,
       certificate TEXT NOT NULL,         -- PEM
       advertise   TEXT NOT NULL,         -- HOST:PORT, for other nodes
       state       TEXT NOT NULL,         -- active, draining or retired
       version     TEXT NOT NULL,         -- of Ambit, '' before the first start
       epoch       BIGINT NOT NULL,       -- grows with each start, and when its lease ends
       instance    TEXT,                  -- a UUID for each start
       lease_until BIGINT NOT NULL,       -- 0: it has no lease
       joined_at   BIGINT NOT NULL
     )`,
    `CREATE TABLE invitations (
       sha256     TEXT PRIMARY KEY,       -- of its secret, hex
       name       TEXT NOT NULL,          -- of the node
       expires_at BIGINT NOT NULL,
       used_at    BIGINT
     )`,
    // What happened to nodes, signed by the node that saw it.
    `CREATE TABLE cluster_log (
       sequence  BIGINT PRIMARY KEY,
       statement TEXT NOT NULL,           -- JSON
       node      INTEGER NOT NULL,        -- who signed
       signature TEXT NOT NULL            -- Ed25519, base64
     )`,
    // The claims that end with the lease of their node.
    'CREATE INDEX claims_by_node ON claims (node) WHERE node IS NOT NULL AND head IS NULL',
  ],
  () => [
    // What nodes share as a whole, with a revision that grows with each change.
    `CREATE TABLE documents (
       subject       TEXT PRIMARY KEY,
       revision      BIGINT NOT NULL,     -- 0: claimed, and never written
       content       TEXT NOT NULL,       -- JSON
       actor         TEXT NOT NULL,       -- JSON: who changed it
       node          INTEGER NOT NULL,    -- on which node
       changed_at    BIGINT NOT NULL,
       claim         TEXT,                -- a UUID: a change that is being made
       claimed_until BIGINT
     )`,
    // Folders by digest: versions of installed skills, their packages, and what scanners found.
    'CREATE TABLE trees (digest TEXT PRIMARY KEY, used_at BIGINT NOT NULL)',
    `CREATE TABLE tree_files (
       digest TEXT NOT NULL,              -- of the folder
       path   TEXT NOT NULL,
       sha256 TEXT NOT NULL,              -- of the content, hex
       bytes  BIGINT NOT NULL,
       mode   INTEGER NOT NULL,           -- its permissions
       PRIMARY KEY (digest, path)
     )`,
    'CREATE INDEX tree_files_by_content ON tree_files (sha256)',
    `CREATE TABLE blobs (
       sha256  TEXT NOT NULL,
       start   BIGINT NOT NULL,           -- of the piece, in bytes
       piece   BYTEA NOT NULL,
       used_at BIGINT NOT NULL,
       PRIMARY KEY (sha256, start)
     )`,
    // What is left of the rate of a key: see operations/rates.ts.
    `CREATE TABLE rates (
       name    TEXT PRIMARY KEY,          -- of the key
       left_ms BIGINT NOT NULL,           -- a request costs the milliseconds of a minute
       at      BIGINT NOT NULL            -- when that was
     )`,
  ],
];

/** PostgreSQL only, in a schema of its own. Text from outside is JSON, except `texts.text`. */
const auditSteps: Steps = [
  () => [
    'CREATE TABLE meta (log_id TEXT NOT NULL, through BIGINT NOT NULL, hash TEXT NOT NULL)',
    // The combinations of values that calls are filtered by: see audit/index/sqlite/index-file.ts.
    `CREATE TABLE kinds (
       id      INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       key     TEXT NOT NULL UNIQUE,      -- JSON: all values
       skill   TEXT,
       actor   TEXT,
       via     TEXT NOT NULL,
       tier    TEXT,
       outcome TEXT NOT NULL,
       denied  TEXT NOT NULL              -- JSON: the denied capabilities, each once, sorted
     )`,
    `CREATE TABLE calls (
       sequence BIGINT PRIMARY KEY,       -- of the event that began the record
       kind     INTEGER NOT NULL,
       started  BIGINT NOT NULL,          -- milliseconds since the epoch
       ended    BIGINT,                   -- the sequence of the event that ended the record
       duration FLOAT8,                   -- milliseconds; NULL if it did not run
       unknown  TEXT,                     -- the name of an unknown skill
       parent   TEXT
     )`,
    'CREATE INDEX calls_by_kind ON calls (kind, sequence, started)',
    'CREATE INDEX calls_by_unknown ON calls (unknown, sequence) WHERE unknown IS NOT NULL',
    'CREATE INDEX calls_by_parent ON calls (parent, sequence) WHERE parent IS NOT NULL',
    // The earliest and latest start of the calls in 8192 sequences.
    'CREATE TABLE blocks (block BIGINT PRIMARY KEY, first BIGINT NOT NULL, last BIGINT NOT NULL)',
    `CREATE TABLE texts (
       record    BIGINT NOT NULL,
       is_output BOOLEAN NOT NULL,
       text      TEXT NOT NULL,           -- folded: see audit/index/log-index.ts
       PRIMARY KEY (record, is_output)
     )`,
    // Without the extension or the right to create it, searching texts is slower.
    `DO $$ BEGIN
       CREATE EXTENSION IF NOT EXISTS pg_trgm;
       EXECUTE (SELECT format('CREATE INDEX texts_by_trigram ON texts USING gin (text %s.gin_trgm_ops)', extnamespace::regnamespace)
                FROM pg_extension WHERE extname = 'pg_trgm');
     EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN NULL;
     END $$`,
  ],
];

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
