import type { Steps } from './step.ts';

/** The audit logs of a cluster's nodes, in the schema of the store: nothing else has them all. Text from outside is JSON. */
export const shippedSteps: Steps = [
  () => [
    // One row for each node. `statement` binds its log and the log's first key to the node, which signs it.
    `CREATE TABLE audit_logs (
       node            INTEGER PRIMARY KEY,
       name            TEXT NOT NULL,
       log_id          TEXT NOT NULL,
       through         BIGINT NOT NULL,   -- the last event, 0 before the first
       hash            TEXT NOT NULL,     -- of that event, hex
       events_pruned   BIGINT NOT NULL,   -- what the log records as pruned
       payloads_pruned BIGINT NOT NULL
     )`,
    `CREATE TABLE audit_events (
       node         INTEGER NOT NULL,
       sequence     BIGINT NOT NULL,
       execution_id TEXT,                 -- JSON; NULL for an event of the daemon
       opens        INTEGER NOT NULL,     -- 1: it begins a record
       body         TEXT NOT NULL,        -- canonical JSON
       hash         BYTEA NOT NULL,       -- over the hash before it, the sequence and the body
       PRIMARY KEY (node, sequence)
     )`,
    'CREATE INDEX audit_openings ON audit_events (execution_id) WHERE opens = 1',
    `CREATE TABLE audit_payloads (
       node     INTEGER NOT NULL,
       sequence BIGINT NOT NULL,
       side     TEXT NOT NULL,            -- input or output
       text     TEXT NOT NULL,            -- JSON
       is_cut   INTEGER NOT NULL,
       PRIMARY KEY (node, sequence)
     )`,
    `CREATE TABLE audit_checkpoints (
       node     INTEGER NOT NULL,
       sequence BIGINT NOT NULL,
       signed   TEXT NOT NULL,            -- JSON
       PRIMARY KEY (node, sequence)
     )`,
    `CREATE TABLE audit_keys (
       node       INTEGER NOT NULL,
       key_id     TEXT NOT NULL,
       public_key TEXT NOT NULL,          -- SPKI in PEM
       since      BIGINT NOT NULL,        -- signs the events after this one
       PRIMARY KEY (node, key_id)
     )`,
    // Events of a second log of a node, where it differs from the first: evidence, which nothing removes.
    `CREATE TABLE audit_conflicts (
       node     INTEGER NOT NULL,
       log_id   TEXT NOT NULL,
       sequence BIGINT NOT NULL,
       hash     TEXT NOT NULL,            -- hex
       seen_at  TEXT NOT NULL,            -- ISO 8601
       PRIMARY KEY (node, log_id, sequence, hash)
     )`,

    // The tree over what nodes have signed: RFC 6962, in tiles of C2SP. One row, which the node that extends the tree locks.
    `CREATE TABLE tree (
       one     INTEGER PRIMARY KEY CHECK (one = 1),
       origin  TEXT NOT NULL,             -- names the tree in its heads
       size    BIGINT NOT NULL,
       root    TEXT NOT NULL,             -- hex
       entries BIGINT NOT NULL            -- the last entry of cluster_log in the tree
     )`,
    `INSERT INTO tree (one, origin, size, root, entries)
       VALUES (1, 'ambit/' || gen_random_uuid(), 0, encode(sha256(''), 'hex'), 0)`,
    `CREATE TABLE tree_tiles (
       level  INTEGER NOT NULL,
       number BIGINT NOT NULL,
       hashes BYTEA NOT NULL,
       PRIMARY KEY (level, number)
     )`,
    // The next leaves, in no particular order. `node` and `sequence` of a checkpoint.
    `CREATE TABLE tree_pending (
       id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       leaf     TEXT NOT NULL,            -- canonical JSON
       node     INTEGER,
       sequence BIGINT
     )`,
    `CREATE TABLE tree_leaves (
       number   BIGINT PRIMARY KEY,
       leaf     TEXT NOT NULL,
       node     INTEGER,
       sequence BIGINT
     )`,
    'CREATE INDEX tree_checkpoints ON tree_leaves (node, sequence) WHERE sequence IS NOT NULL',
    `CREATE TABLE tree_heads (
       size BIGINT PRIMARY KEY,
       node INTEGER NOT NULL,             -- that signed it
       note TEXT NOT NULL
     )`,
  ],
];
