import { type AuditEvent, type AuditPosition, SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { eventColumns } from './event-columns.ts';

/** Writes events; each method is one transaction, durable when it returns. */
export interface EventWriter {
  append(event: AuditEvent): AuditPosition;
  interruptOpen(time: number): number;
}

interface OpenRecord {
  record: number;
  executionId: string;
  skill: string | null;
}

/** The statements that write, prepared once. */
export function eventWriter(database: Database): EventWriter {
  const nextSequence = database
    .prepare<[], number>("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) + 1")
    .pluck();
  const insertEvent = database.prepare(
    `INSERT INTO events (sequence, time, kind, execution_id, parent_id, record, opens, skill, outcome, body)
     VALUES (:sequence, :time, :kind, :executionId, :parentId, :record, :opens, :skill, :outcome, :body)`,
  );
  const insertOpen = database.prepare(
    'INSERT INTO open_records (record, execution_id, skill) VALUES (:record, :executionId, :skill)',
  );
  const deleteOpen = database.prepare('DELETE FROM open_records WHERE record = ?');
  const findOpen = database.prepare<[string], OpenRecord>(
    'SELECT record, execution_id AS executionId, skill FROM open_records WHERE execution_id = ?',
  );
  const allOpen = database.prepare<[], OpenRecord>(
    'SELECT record, execution_id AS executionId, skill FROM open_records ORDER BY record',
  );

  const write = (event: AuditEvent): AuditPosition => {
    const { executionId, time, kind } = event;
    const { opens, parentId, skill, outcome } = eventColumns(event);
    const sequence = nextSequence.get() ?? 1;
    const open = opens
      ? { record: sequence, executionId, skill }
      : requireOpen(executionId, findOpen.get(executionId));
    insertEvent.run({
      ...open,
      sequence,
      time,
      kind,
      parentId,
      opens: opens ? 1 : 0,
      outcome,
      body: JSON.stringify(event),
    });
    if (opens && outcome === null) insertOpen.run(open);
    if (!opens && outcome !== null) deleteOpen.run(open.record);
    return { sequence };
  };

  return {
    append: database.transaction(write).immediate,
    interruptOpen: database.transaction((time: number) => {
      const open = allOpen.all();
      for (const { executionId } of open) write({ kind: 'call.interrupted', executionId, time });
      return open.length;
    }).immediate,
  };
}

function requireOpen(executionId: string, open: OpenRecord | undefined): OpenRecord {
  if (open !== undefined) return open;
  throw new SkillError(
    'INTERNAL',
    `execution ${executionId} has no open record in the audit log; nothing more is written for it`,
  );
}
