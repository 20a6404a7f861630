import type { Steps } from './step.ts';

export const storeSteps: Steps = [
  ({ bytes, integer, table }) => [
    // The stored data of each idempotency key. Times are milliseconds since the epoch.
    `CREATE TABLE claims (
       name         TEXT PRIMARY KEY,     -- SHA-256 of caller, route and key
       owner        TEXT NOT NULL,        -- SHA-256 of the caller, shortened
       execution_id TEXT NOT NULL,
       fingerprint  TEXT NOT NULL,        -- of the request
       claimed_at   ${integer} NOT NULL,
       bytes        ${integer} NOT NULL,  -- of the body, 0 without one
       head         TEXT,                 -- JSON: the response without its body; NULL if none is stored
       body         ${bytes},
       -- Who runs the call, in a cluster: its node, and the node's epoch when it claimed the name.
       node         ${integer},
       epoch        ${integer}
     )${table}`,
    'CREATE INDEX claims_by_age ON claims (claimed_at)',
    // Sums need not read responses.
    'CREATE INDEX claims_by_owner ON claims (owner, bytes)',
    'CREATE INDEX responses_by_owner ON claims (owner, claimed_at) WHERE bytes > 0',

    `CREATE TABLE workspaces (
       id     TEXT PRIMARY KEY,
       record TEXT NOT NULL,              -- JSON: the workspace with its list of files
       bytes  ${integer} NOT NULL,        -- of its files
       -- Which node holds it now, under which epoch.
       node   ${integer},
       epoch  ${integer}
     )${table}`,
    // The contents of files, each once in a workspace, in parts of a mebibyte.
    `CREATE TABLE contents (
       workspace TEXT NOT NULL,
       sha256    TEXT NOT NULL,
       part      ${integer} NOT NULL,     -- counted from 0
       content   ${bytes} NOT NULL,
       PRIMARY KEY (workspace, sha256, part)
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

    // The operator's decisions about installed skills. `record` is JSON.
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
];
