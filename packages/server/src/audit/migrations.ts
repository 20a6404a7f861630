import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';

/**
 * What brings an empty database to the schema of today, one step a version; `PRAGMA user_version` says how many have
 * been taken. A step is never edited once it has been released: the next one goes below it.
 */
const steps: readonly string[] = [
  `
  -- What is ever written, and never changed. Everything but the body is taken from it, to be asked for.
  CREATE TABLE events (
    sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
    time         INTEGER NOT NULL,               -- milliseconds since the epoch
    kind         TEXT    NOT NULL,
    execution_id TEXT,                           -- NULL for an event of the daemon's own
    parent_id    TEXT,                           -- the chain that the call is a link of, in its opening event
    record       INTEGER,                        -- the sequence of the event that opened this event's record
    opens        INTEGER NOT NULL CHECK (opens IN (0, 1)),
    skill        TEXT,                           -- the record's, also in the event that closes it
    outcome      TEXT,                           -- in the event that closes a record, and only there
    body         TEXT    NOT NULL                -- the event as JSON
  ) STRICT;
  CREATE UNIQUE INDEX opening_of_execution ON events (execution_id) WHERE opens = 1;
  CREATE INDEX links_of_chain ON events (parent_id, record) WHERE parent_id IS NOT NULL;
  CREATE INDEX events_of_record ON events (record);
  CREATE INDEX records_by_outcome ON events (outcome, record) WHERE outcome IS NOT NULL;
  CREATE INDEX records_by_skill ON events (skill, record) WHERE skill IS NOT NULL AND opens = 1;
  CREATE INDEX records_by_skill_and_outcome ON events (skill, outcome, record)
    WHERE skill IS NOT NULL AND outcome IS NOT NULL;
  CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

  -- Which records have no end yet: follows from events, and is kept so that a start need not read them all.
  CREATE TABLE open_records (
    record       INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    skill        TEXT
  ) STRICT;
  `,
];

/** The version of the schema that this code reads and writes. */
export const schemaVersion = steps.length;

/**
 * Brings a database forward to `schemaVersion`, in one transaction: whole or not at all. Throws `AUDIT_UNAVAILABLE` for
 * a database that is newer, or that holds something else.
 */
export function migrate(database: Database): void {
  // Immediate, so that a database that can only be read is found out now and not at the first event.
  database
    .transaction(() => {
      const version = schemaVersionOf(database);
      if (version === 0 && !isEmpty(database)) {
        throw new SkillError(
          'AUDIT_UNAVAILABLE',
          `${database.name} is a database of another program; name another file`,
        );
      }
      for (const step of steps.slice(version)) database.exec(step);
      // A pragma takes no parameters; the number is our own.
      database.pragma(`user_version = ${schemaVersion}`);
    })
    .immediate();
}

/** The version of a database. Throws `AUDIT_UNAVAILABLE` when it is newer than this code. */
export function schemaVersionOf(database: Database): number {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version > schemaVersion) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `${database.name} was written by a newer Ambit (its schema is ${version}, this one knows up to ${schemaVersion}): use that version, or another data directory`,
    );
  }
  return version;
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}
