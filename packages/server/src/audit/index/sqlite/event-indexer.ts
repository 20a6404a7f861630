import type { LogPruned } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { blockSequences } from '../log-index.ts';
import type { LogSource } from '../log-source.ts';
import { type CallRow, nextRecords } from '../next-records.ts';
import { textIndex } from './text-index.ts';

/** Indexes the next events of the log up to `upTo`, each once, a bounded number; returns the last indexed one. */
export function eventIndexer(log: LogSource, index: Database): (upTo: number) => number {
  const texts = textIndex(index);
  const through = index.prepare<[], number>(indexedThrough).pluck();
  const isIndexed = index.prepare('SELECT 1 FROM calls WHERE sequence = ?');
  const findKind = index
    .prepare<[CallRow], number>(
      `SELECT id FROM kinds WHERE skill IS @skill AND actor IS @actor AND outcome = @outcome AND via = @via
       AND tier IS @tier AND denied = @denied AND is_unknown = @isUnknown`,
    )
    .pluck();
  const addKind = index
    .prepare<[CallRow], number>(
      `INSERT INTO kinds (skill, actor, outcome, via, tier, denied, is_unknown)
       VALUES (@skill, @actor, @outcome, @via, @tier, @denied, @isUnknown) RETURNING id`,
    )
    .pluck();
  const put = index.prepare<[CallRow & { kind: number | undefined }]>(
    `INSERT INTO calls (sequence, kind, started, ended, duration, unknown, parent)
     VALUES (@sequence, @kind, @started, @ended, @duration, @unknown, @parent)
     ON CONFLICT (sequence) DO UPDATE SET kind = excluded.kind, ended = excluded.ended, duration = excluded.duration`,
  );
  const extendBlocks = index.prepare<[number, number]>(
    `INSERT INTO blocks (block, first, last)
     SELECT sequence / ${blockSequences}, min(started), max(started) FROM calls WHERE sequence > ? AND sequence <= ? GROUP BY 1
     ON CONFLICT (block) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
  );
  const unpacked = index
    .prepare<[number], number>(
      `SELECT block FROM blocks LEFT JOIN packs USING (block)
       WHERE packs.block IS NULL AND (block + 1) * ${blockSequences} <= ? AND NOT EXISTS (
         SELECT 1 FROM calls INDEXED BY open_calls
         WHERE ended IS NULL AND sequence >= block * ${blockSequences} AND sequence < (block + 1) * ${blockSequences})`,
    )
    .pluck();
  const pack = index.prepare('INSERT INTO packs (block, calls) VALUES (?, ?)');
  const packed = callsOfBlock(index);
  const setMeta = index.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');

  const prune = ({ what, through: pruned }: LogPruned): void => {
    texts.prune(pruned, what);
    if (what === 'payloads') return;
    const block = Math.floor(pruned / blockSequences);
    index.prepare('DELETE FROM calls WHERE sequence <= ?').run(pruned);
    index.exec('DELETE FROM kinds WHERE NOT EXISTS (SELECT 1 FROM calls WHERE kind = kinds.id)');
    for (const table of ['blocks', 'packs'])
      index.prepare(`DELETE FROM ${table} WHERE block <= ?`).run(block);
    extendBlocks.run(pruned, (block + 1) * blockSequences - 1);
  };

  return index.transaction((upTo: number): number => {
    const from = through.get() ?? 0;
    const { last, rows, texts: stored, prunings } = nextRecords(log, from, upTo);
    if (last === from) return from;
    const skipped = new Set<number>();
    for (const row of rows) {
      // Its first event was pruned, and the record with it.
      if (row.sequence <= from && isIndexed.get(row.sequence) === undefined) skipped.add(row.sequence);
      else put.run({ ...row, kind: findKind.get(row) ?? addKind.get(row) });
    }
    texts.add(stored.filter(({ record }) => !skipped.has(record)));
    extendBlocks.run(from, last);
    for (const pruned of prunings) prune(pruned);
    for (const block of unpacked.all(last)) pack.run(block, packed(block));
    setMeta.run('through', String(last));
    setMeta.run('hash', log.hashAt(last) ?? '');
    setMeta.run('log_id', log.logId());
    return last;
  }).immediate;
}

/** The last indexed event. */
export const indexedThrough = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'through'";

/** Reads a block's calls of known skills in the form of `packs`. The duration of a call that did not run is -1. */
export function callsOfBlock(index: Database): (block: number) => Buffer {
  const calls = index
    .prepare<[number, number], [number, number, number]>(
      `SELECT kind, started, coalesce(duration, -1) FROM calls
       WHERE sequence >= ? AND sequence < ? AND unknown IS NULL ORDER BY sequence`,
    )
    .raw();
  return (block) =>
    Buffer.from(
      Float64Array.from(calls.all(block * blockSequences, (block + 1) * blockSequences).flat()).buffer,
    );
}
