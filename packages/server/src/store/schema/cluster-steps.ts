import type { Steps } from './step.ts';

/** PostgreSQL only, beside the store. Times are milliseconds since the epoch, of the database's clock. */
export const clusterSteps: Steps = [
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
       joined_at   BIGINT NOT NULL,
       -- The calls that it began up to this event and never ended are interrupted, since it last lost its lease or was retired.
       interrupted_through BIGINT NOT NULL DEFAULT 0,
       interrupted_at      BIGINT NOT NULL DEFAULT 0,
       unreachable TEXT NOT NULL DEFAULT '[]' -- JSON: the ids of the nodes that it could not reach when it renewed its lease
     )`,
    `CREATE TABLE invitations (
       sha256     TEXT PRIMARY KEY,       -- of its secret, hex
       name       TEXT NOT NULL,          -- of the node
       expires_at BIGINT NOT NULL,
       used_at    BIGINT
     )`,
    // The events of nodes, signed by the node that saw them.
    `CREATE TABLE cluster_log (
       sequence  BIGINT PRIMARY KEY,
       statement TEXT NOT NULL,           -- JSON
       node      INTEGER NOT NULL,        -- who signed
       signature TEXT NOT NULL            -- Ed25519, base64
     )`,
    // The claims that end with the lease of their node.
    'CREATE INDEX claims_by_node ON claims (node) WHERE node IS NOT NULL AND head IS NULL',

    // The documents that nodes share as a whole, with a revision that grows with each change.
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
    // Folders by digest: versions of installed skills, and their packages.
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
    // The remaining rate of a key: see operations/rates.ts.
    `CREATE TABLE rates (
       name    TEXT PRIMARY KEY,          -- of the key
       left_ms BIGINT NOT NULL,           -- a request costs the milliseconds of a minute
       at      BIGINT NOT NULL            -- when that was
     )`,
  ],
];
