import type { Steps } from './step.ts';

// The indexes of audit logs in PostgreSQL, each in a schema of its own. Text from outside is JSON, except `texts.text`.

/** The statements before the table of calls, and after it: the same in both indexes. */
const kinds = [
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
];
const forCalls = [
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
];

/** The index of one log. */
export const auditSteps: Steps = [
  () => [
    'CREATE TABLE meta (log_id TEXT NOT NULL, through BIGINT NOT NULL, hash TEXT NOT NULL)',
    ...kinds,
    `CREATE TABLE calls (
       sequence BIGINT PRIMARY KEY,       -- of the event that began the record
       kind     INTEGER NOT NULL,
       started  BIGINT NOT NULL,          -- milliseconds since the epoch
       ended    BIGINT,                   -- the sequence of the event that ended the record
       duration FLOAT8,                   -- milliseconds; NULL if it did not run
       unknown  TEXT,                     -- the name of an unknown skill
       parent   TEXT
     )`,
    ...forCalls,
  ],
];

/** The index of the logs of all nodes, derived from what they have shipped. */
export const clusterIndexSteps: Steps = [
  () => [
    // The indexed extent of each log, and the last place of its calls.
    `CREATE TABLE indexed (
       node        INTEGER PRIMARY KEY,
       through     BIGINT NOT NULL,
       place       BIGINT NOT NULL,
       interrupted BIGINT NOT NULL DEFAULT 0 -- the calls up to this event without an end are shown as interrupted
     )`,
    ...kinds,
    `CREATE TABLE calls (
       sequence BIGINT PRIMARY KEY,       -- its place among the calls of all nodes: see audit/index/cluster/place.ts
       node     INTEGER NOT NULL,
       opened   BIGINT NOT NULL,          -- the sequence of its first event in the log of its node
       kind     INTEGER NOT NULL,
       started  BIGINT NOT NULL,
       ended    BIGINT,
       duration FLOAT8,
       unknown  TEXT,
       parent   TEXT,
       UNIQUE (node, opened)
     )`,
    ...forCalls,
    // For the calls of one node.
    'CREATE INDEX calls_by_node ON calls (node, kind, sequence)',
  ],
];
