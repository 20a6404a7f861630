import type { Database } from 'better-sqlite3';
import { ofAll, spans } from '../index/indexer/roll-ups.ts';

/** Compares the counts and sums of an index with its own records. Returns what is wrong, if anything. */
export function unlikeSums(index: Database): string | undefined {
  if (index.prepare(strangeCount).get() !== undefined) return 'the index has wrong counts of its records';
  const widths = JSON.stringify(Object.values(spans));
  for (const sql of [`${expected} EXCEPT ${stored}`, `${stored} EXCEPT ${expected}`])
    if (index.prepare(`${sql} LIMIT 1`).get({ widths, ofAll }) !== undefined)
      return 'the sums in the index do not match its records';
  return undefined;
}

const strangeCount = `
  SELECT 1 FROM shapes
  WHERE records <> (SELECT count(*) FROM records WHERE shape = shapes.id) LIMIT 1`;

const stored = 'SELECT span, skill, start, calls, succeeded, denied, errors, first, last FROM roll_ups';

/** A record counts for its own skill, if it has one, and for all skills. */
const expected = `
  SELECT span, name, start, count(*), sum(outcome = 'succeeded'), sum(outcome = 'denied'),
    sum(outcome NOT IN ('succeeded', 'denied', 'running')), min(sequence), max(sequence)
  FROM (
    SELECT widths.value AS span, names.name,
      time - ((time % widths.value) + widths.value) % widths.value AS start, outcome, sequence
    FROM records
    JOIN (SELECT id, fields ->> '$[0]' AS name, fields ->> '$[5]' AS outcome FROM shapes
          UNION ALL SELECT id, @ofAll, fields ->> '$[5]' FROM shapes) AS names ON names.id = records.shape
    JOIN json_each(@widths) AS widths
    WHERE names.name IS NOT NULL)
  GROUP BY span, name, start`;
