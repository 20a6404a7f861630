import type { Steps } from './step.ts';

export const keysSteps: Steps = [
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
