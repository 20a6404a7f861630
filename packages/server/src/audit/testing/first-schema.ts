import type { CallEvent } from '@ambit/core/internal';
import Sqlite from 'better-sqlite3';

/** A log as the first version wrote it, with these events; its SQL is that version's own, and stays as it was. */
export function firstSchemaLog(file: string, events: readonly CallEvent[]): void {
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.exec(schema);
  const insert = database.prepare(
    `INSERT INTO events (sequence, time, kind, execution_id, parent_id, record, opens, skill, outcome, body)
     VALUES (:sequence, :time, :kind, :executionId, NULL, :record, :opens, :skill, :outcome, :body)`,
  );
  const opened = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const { kind, executionId } = event;
    const opens = kind === 'call.started' || kind === 'auth.rejected' || kind === 'request.denied';
    const sequence = index + 1;
    if (opens) opened.set(executionId, sequence);
    const record = opened.get(executionId) ?? null;
    insert.run({
      sequence,
      time: event.time,
      kind,
      executionId,
      record,
      opens: opens ? 1 : 0,
      skill: null,
      outcome: kind === 'call.started' ? null : 'denied',
      body: JSON.stringify(event),
    });
    if (kind === 'call.started')
      database.prepare('INSERT INTO open_records VALUES (?, ?, NULL)').run(record, executionId);
    else database.prepare('DELETE FROM open_records WHERE record = ?').run(record);
  }
  database.pragma('user_version = 1');
  database.close();
}

const schema = `
  CREATE TABLE events (
    sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
    time         INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    execution_id TEXT,
    parent_id    TEXT,
    record       INTEGER,
    opens        INTEGER NOT NULL CHECK (opens IN (0, 1)),
    skill        TEXT,
    outcome      TEXT,
    body         TEXT    NOT NULL
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
  CREATE TABLE open_records (
    record       INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    skill        TEXT
  ) STRICT;
`;
