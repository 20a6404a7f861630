import type { LogPruned } from '@ambit/core/audit';
import { lockFamily } from '../../../store/postgres/prepare-schema.ts';
import { rowsOf, type Statement, sql, type Transaction } from '../../../store/statement.ts';
import { blockSequences, foldCase, type IndexMeta, whyUnusable } from '../log-index.ts';
import type { LogSource } from '../log-source.ts';
import { type CallRow, farBehind, type IndexedText, nextRecords } from '../next-records.ts';
import { jsonOf } from './stored-text.ts';

const fillLock = 3;
/** The characters of texts that one statement inserts, and the sequences that one deletes. */
const charactersMax = 1_000_000;
const deletedSequences = 100_000;

/** Indexes the next events up to `upTo`, after emptying an index of another log, for the reason `discarded`. */
export function* fillStep(
  log: LogSource,
  upTo: number,
): Transaction<{ through: number; discarded: string | undefined }> {
  yield sql`SELECT pg_advisory_xact_lock(${lockFamily}, ${fillLock})`;
  const meta = yield* indexMeta();
  const discarded = whyUnusable(log, meta);
  if (discarded !== undefined) yield sql`TRUNCATE meta, kinds, calls, blocks, texts`;
  const from = discarded === undefined ? (meta?.through ?? 0) : 0;
  const { last, rows, texts, prunings } = nextRecords(log, from, upTo);
  if (last === from && meta !== undefined && discarded === undefined) return { through: from, discarded };
  yield* put(rows, from);
  yield* addTexts(texts);
  yield* extendBlocks(from, last);
  for (const pruned of prunings) yield* prune(pruned);
  yield sql`DELETE FROM meta`;
  yield sql`INSERT INTO meta (log_id, through, hash) VALUES (${log.logId()}, ${last}, ${log.hashAt(last) ?? ''})`;
  // PostgreSQL does it by itself later, and until then plans as if the tables were empty.
  if (upTo - from > farBehind && upTo - last <= farBehind) yield sql`ANALYZE kinds, calls, blocks, texts`;
  return { through: last, discarded };
}

function* indexMeta(): Transaction<IndexMeta | undefined> {
  const [meta] = yield* rowsOf<IndexMeta & Record<string, unknown>>(
    sql`SELECT log_id AS "logId", through, hash FROM meta`,
  );
  return meta;
}

/** Stores records. A record that began before `from` and is missing was pruned. */
function* put(rows: readonly CallRow[], from: number): Transaction<void> {
  yield* putKinds(rows);
  const calls = rows.map((row) => {
    const { sequence, started, ended, duration, unknown, parent } = row;
    return {
      sequence,
      started,
      ended,
      duration,
      unknown: jsonOf(unknown),
      parent: jsonOf(parent),
      key: kindKey(row),
    };
  });
  yield sql`INSERT INTO calls (sequence, kind, started, ended, duration, unknown, parent)
    SELECT sequence, kinds.id, started, ended, duration, unknown, parent
    FROM json_to_recordset(${JSON.stringify(calls)}) AS given
      (sequence BIGINT, key TEXT, started BIGINT, ended BIGINT, duration FLOAT8, unknown TEXT, parent TEXT)
    JOIN kinds USING (key)
    WHERE sequence > ${from} OR EXISTS (SELECT 1 FROM calls WHERE calls.sequence = given.sequence)
    ON CONFLICT (sequence) DO UPDATE SET kind = excluded.kind, ended = excluded.ended, duration = excluded.duration`;
}

/** Stores the combinations of values of records. In order, so that simultaneous steps wait for each other only in turn. */
export function* putKinds(rows: readonly CallRow[]): Transaction<void> {
  const kinds = new Map<string, object>();
  for (const row of rows) kinds.set(kindKey(row), { key: kindKey(row), ...kindOf(row) });
  const sorted = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  yield sql`INSERT INTO kinds (key, skill, actor, via, tier, outcome, denied)
    SELECT * FROM json_to_recordset(${JSON.stringify(sorted)})
      AS given (key TEXT, skill TEXT, actor TEXT, via TEXT, tier TEXT, outcome TEXT, denied TEXT)
    WHERE NOT EXISTS (SELECT 1 FROM kinds WHERE kinds.key = given.key) ON CONFLICT DO NOTHING`;
}

/** The key of the combination of a record's values. */
export function kindKey(row: CallRow): string {
  return JSON.stringify([...Object.values(kindOf(row)), row.isUnknown]);
}

/** The key of the same combination with another outcome. */
export function keyWithOutcome(key: string, outcome: string): string {
  const values = JSON.parse(key) as unknown[];
  return JSON.stringify(values.with(outcomeAt, outcome));
}

const outcomeAt = 4;

function kindOf({ skill, actor, via, tier, outcome, denied }: CallRow) {
  return { skill: jsonOf(skill), actor: jsonOf(actor), via, tier, outcome, denied };
}

/** Stores texts of records, except of pruned ones. */
export function* addTexts(texts: readonly IndexedText[]): Transaction<void> {
  let some: object[] = [];
  let characters = 0;
  for (const [at, { record, of, text }] of texts.entries()) {
    some.push({ record, is_output: of === 'output', text: foldCase(text) });
    characters += text.length;
    if (characters < charactersMax && at < texts.length - 1) continue;
    yield insertTexts(some);
    [some, characters] = [[], 0];
  }
}

function insertTexts(texts: readonly object[]): Statement {
  return sql`INSERT INTO texts (record, is_output, text)
    SELECT * FROM json_to_recordset(${JSON.stringify(texts)}) AS given (record BIGINT, is_output BOOLEAN, text TEXT)
    WHERE EXISTS (SELECT 1 FROM calls WHERE sequence = record) ON CONFLICT DO NOTHING`;
}

function* extendBlocks(after: number, through: number): Transaction<void> {
  yield sql`INSERT INTO blocks (block, first, last)
    SELECT sequence / ${blockSequences}::BIGINT, min(started), max(started) FROM calls
    WHERE sequence > ${after} AND sequence <= ${through} GROUP BY 1
    ON CONFLICT (block) DO UPDATE SET first = least(blocks.first, excluded.first), last = greatest(blocks.last, excluded.last)`;
}

/** Deletes pruned records in ranges of sequences, so no statement takes long. */
function* prune({ what, through }: LogPruned): Transaction<void> {
  const isAll = what === 'events';
  const [lowest] = yield* rowsOf<{ text: number | null; call: number | null }>(
    sql`SELECT (SELECT min(record) FROM texts) AS text, (SELECT min(sequence) FROM calls) AS call`,
  );
  for (let from = lowest?.text ?? through + 1; from <= through; from += deletedSequences)
    yield sql`DELETE FROM texts
      WHERE record >= ${from} AND record < ${from + deletedSequences} AND record <= ${through} AND (${isAll ? 1 : 0} = 1
        OR NOT is_output OR (SELECT ended FROM calls WHERE sequence = record) <= ${through})`;
  if (!isAll) return;
  for (let from = lowest?.call ?? through + 1; from <= through; from += deletedSequences)
    yield sql`DELETE FROM calls
      WHERE sequence >= ${from} AND sequence < ${from + deletedSequences} AND sequence <= ${through}`;
  yield sql`DELETE FROM kinds WHERE NOT EXISTS (SELECT 1 FROM calls WHERE kind = kinds.id)`;
  const block = Math.floor(through / blockSequences);
  yield sql`DELETE FROM blocks WHERE block <= ${block}`;
  yield* extendBlocks(through, (block + 1) * blockSequences - 1);
}
