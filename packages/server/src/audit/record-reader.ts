import { type AuditEvent, type AuditPage, type AuditQuery, type CallRecord, callRecord } from '@ambit/core';
import type { Database } from 'better-sqlite3';

interface EventRow {
  record: number;
  sequence: number;
  body: string;
}

/** The statements that read, prepared once; what comes back answers a query from one state of the log. */
export function recordReader(database: Database): (query: AuditQuery) => AuditPage {
  // Each picks the sequences of the events that opened the records, newest first.
  const pick = {
    all: picking(
      database,
      'SELECT sequence FROM events WHERE opens = 1 AND sequence < :before ORDER BY sequence DESC LIMIT :limit',
    ),
    byExecution: picking(
      database,
      'SELECT record FROM events WHERE execution_id = :executionId AND opens = 1 AND record < :before LIMIT :limit',
    ),
    byParent: picking(
      database,
      `SELECT record FROM events WHERE parent_id = :parentId AND record < :before
       ORDER BY record DESC LIMIT :limit`,
    ),
    bySkill: picking(
      database,
      `SELECT record FROM events WHERE skill = :skill AND opens = 1 AND record < :before
       ORDER BY record DESC LIMIT :limit`,
    ),
    byOutcome: picking(
      database,
      'SELECT record FROM events WHERE outcome = :outcome AND record < :before ORDER BY record DESC LIMIT :limit',
    ),
    bySkillAndOutcome: picking(
      database,
      `SELECT record FROM events WHERE skill = :skill AND outcome = :outcome AND record < :before
       ORDER BY record DESC LIMIT :limit`,
    ),
    running: picking(
      database,
      `SELECT record FROM open_records WHERE record < :before AND (:skill IS NULL OR skill = :skill)
       ORDER BY record DESC LIMIT :limit`,
    ),
  };
  const eventsOf = database.prepare<[string], EventRow>(
    `SELECT record, sequence, body FROM events WHERE record IN (SELECT value FROM json_each(?))
     ORDER BY record DESC, sequence`,
  );

  return database.transaction((query: AuditQuery): AuditPage => {
    const {
      skill = null,
      outcome = null,
      executionId = null,
      parentId = null,
      before = Number.MAX_SAFE_INTEGER,
      limit,
    } = query;
    // One more than asked for, which tells whether there is a next page.
    const picked = pick[pickFor(query)].all({
      skill,
      outcome,
      executionId,
      parentId,
      before,
      limit: limit + 1,
    });
    const shown = picked.slice(0, limit);
    const rows = Map.groupBy(eventsOf.all(JSON.stringify(shown)), ({ record }) => record);
    return {
      records: [...rows.values()].map(joined).filter((record) => fits(record, query)),
      next: picked.length > limit ? (shown.at(-1) ?? null) : null,
    };
  });
}

function picking(database: Database, sql: string) {
  return database
    .prepare<
      [
        Record<'skill' | 'outcome' | 'executionId' | 'parentId', string | null> &
          Record<'before' | 'limit', number>,
      ],
      number
    >(sql)
    .pluck();
}

function pickFor({ skill, outcome, executionId, parentId }: AuditQuery) {
  if (executionId !== undefined) return 'byExecution';
  if (parentId !== undefined) return 'byParent';
  if (outcome === 'running') return 'running';
  if (outcome !== undefined) return skill === undefined ? 'byOutcome' : 'bySkillAndOutcome';
  return skill === undefined ? 'all' : 'bySkill';
}

function joined(rows: readonly EventRow[]): CallRecord {
  return callRecord(rows.map(({ sequence, body }) => ({ sequence, event: JSON.parse(body) as AuditEvent })));
}

/** An execution's one record is picked by its id alone, so that the other filters are applied to it here. */
function fits(record: CallRecord, { skill, outcome, parentId }: AuditQuery): boolean {
  return (
    (parentId === undefined || record.parentId === parentId) &&
    (skill === undefined || record.skill?.id === skill) &&
    (outcome === undefined || record.outcome === outcome)
  );
}
