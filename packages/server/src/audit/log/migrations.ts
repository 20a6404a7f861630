import { hash, randomUUID } from 'node:crypto';
import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { developmentSchema } from '../../sqlite/development-schema.ts';

const tables = `
  -- The events. The columns beside the body are needed to write; another database, derived from this one, is the
  -- index for queries.
  CREATE TABLE log (
    sequence     INTEGER PRIMARY KEY,
    execution_id TEXT,                           -- NULL for an event of the daemon's own
    opens        INTEGER NOT NULL CHECK (opens IN (0, 1)),
    body         TEXT    NOT NULL,               -- the event as canonical JSON
    hash         BLOB    NOT NULL                -- over the hash before it, the sequence and the body
  ) STRICT;
  CREATE UNIQUE INDEX one_opening_of_execution ON log (execution_id) WHERE opens = 1;

  -- The stored input or output of an event. The event has its digest, so a payload can be pruned alone.
  CREATE TABLE payloads (
    sequence INTEGER PRIMARY KEY,
    side     TEXT    NOT NULL CHECK (side IN ('input', 'output')),
    text     TEXT    NOT NULL,
    is_cut   INTEGER NOT NULL CHECK (is_cut IN (0, 1))
  ) STRICT;

  -- Which records have no end yet: follows from the log, and is kept so that a start need not read it all.
  CREATE TABLE open_records (
    execution_id TEXT PRIMARY KEY,
    sequence     INTEGER NOT NULL
  ) STRICT;

  -- log_id, created, the digest of the schema, and the writer; if something was pruned, events_pruned_through and
  -- payloads_pruned_through.
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE checkpoints (sequence INTEGER PRIMARY KEY, signed TEXT NOT NULL) STRICT;
  CREATE TABLE keys (key_id TEXT PRIMARY KEY, public_key TEXT NOT NULL, since INTEGER) STRICT;

  -- The digests of the policy and of each skill in the last event that recorded a change. Derived from the log, and
  -- retained when it is pruned.
  CREATE TABLE last_digests (subject TEXT PRIMARY KEY, digest TEXT NOT NULL) STRICT;
  CREATE TRIGGER changes_are_noted AFTER INSERT ON log WHEN NEW.execution_id IS NULL
    BEGIN
      INSERT OR REPLACE INTO last_digests (subject, digest)
        SELECT 'policy', json_extract(NEW.body, '$.to') WHERE json_extract(NEW.body, '$.kind') = 'policy.changed'
        UNION ALL
        SELECT 'skill:' || json_extract(NEW.body, '$.skill.id'), json_extract(NEW.body, '$.skill.digest')
          WHERE json_extract(NEW.body, '$.kind') = 'skill.changed';
    END;

  -- Against accidents: a user who can write the file can remove the triggers. The chain detects that.
  CREATE TRIGGER log_is_not_changed BEFORE UPDATE ON log
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER log_is_not_removed BEFORE DELETE ON log
    WHEN OLD.sequence > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'events_pruned_through'), 0)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER payloads_are_not_changed BEFORE UPDATE ON payloads
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER payloads_are_not_removed BEFORE DELETE ON payloads
    WHEN OLD.sequence > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'payloads_pruned_through'), 0)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`;

/**
 * The steps from an empty database to the current schema, one per version; `PRAGMA user_version` is the number of completed
 * steps. The first one may be edited until 0.2.0 is released. Never edit a released step, not even its comments, which
 * SQLite stores. Add the next one below it.
 */
const steps: readonly string[] = [tables];

/** The schema version that this code reads and writes. */
const schemaVersion = steps.length;

/**
 * Creates the schema, or upgrades it to `schemaVersion`, in one transaction. Throws `AUDIT_UNAVAILABLE` for a database of a
 * newer version, a development version or another program.
 */
export function migrate(database: Database): void {
  // Immediate, so that a read-only database is detected now and not at the first event.
  database
    .transaction(() => {
      const version = schemaVersionOf(database);
      for (const step of steps.slice(version)) database.exec(step);
      const setMeta = database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
      if (version === 0) {
        setMeta.run('log_id', randomUUID());
        setMeta.run('created', new Date().toISOString());
      }
      if (version < schemaVersion) setMeta.run('schema', digestOf(schemaVersion));
      // A pragma takes no parameters; the number is a constant.
      database.pragma(`user_version = ${schemaVersion}`);
    })
    .immediate();
}

/**
 * The version of a database; 0: it is empty. Throws `AUDIT_UNAVAILABLE` if it is newer than this code, or of a development
 * version or another program.
 */
export function schemaVersionOf(database: Database): number {
  // In one transaction, because another process may create the schema between the two.
  const { version, isNew } = database.transaction(() => ({
    version: database.pragma('user_version', { simple: true }) as number,
    isNew: isEmpty(database),
  }))();
  if (version === 0 && isNew) return version;
  if (version === 0) throw foreign(database);
  if (!hasLog(database)) throw foreign(database);
  const digest = storedDigest(database);
  if (digest === undefined || (version <= schemaVersion && digest !== digestOf(version)))
    throw new SkillError('AUDIT_UNAVAILABLE', `${database.name} ${developmentSchema}`);
  if (version > schemaVersion) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `${database.name} was written by a newer Ambit (schema ${version}; this one supports up to ${schemaVersion}); use that version, or another data directory`,
    );
  }
  return version;
}

/** Throws `AUDIT_UNAVAILABLE` unless a database that is only read has this schema. */
export function requireSchema(database: Database): void {
  if (schemaVersionOf(database) === schemaVersion) return;
  throw new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${database.name} is empty; the first call creates what belongs in it`,
  );
}

function foreign(database: Database): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `${database.name} is another program's database; choose another file`,
  );
}

/** Whether a database has the table of unfinished calls, which every version of the log has had. */
function hasLog(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'open_records'").get() !== undefined;
}

/** The digest of the schema as it was created; `undefined` if there is none. */
function storedDigest(database: Database): string | undefined {
  const columns = database.prepare("SELECT name FROM pragma_table_info('meta') ORDER BY name").pluck().all();
  if (columns.join(' ') !== 'key value') return undefined;
  return database.prepare<[], string>("SELECT value FROM meta WHERE key = 'schema'").pluck().get();
}

function digestOf(version: number): string {
  return hash('sha256', JSON.stringify(steps.slice(0, version)));
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}
