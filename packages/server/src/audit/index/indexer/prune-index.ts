import type { LogPruned } from '@ambit/core/internal';
import type { IndexParts } from './index-parts.ts';
import { ofAll, rollUps, spans } from './roll-ups.ts';

/** Takes out of the index what was taken out of the log, to be called within the transaction that reads of it. */
export function pruneIndex(parts: IndexParts, { what, through }: LogPruned): void {
  const { index, shapes, texts } = parts;
  texts.prune(through, what);
  if (what === 'payloads') return;
  const gone = index
    .prepare<[number], { shape: number; records: number }>(
      'SELECT shape, count(*) AS records FROM records WHERE sequence <= ? GROUP BY shape',
    )
    .all(through);
  for (const { shape, records } of gone) shapes.count(shape, -records);
  shapes.flush();
  index.prepare('DELETE FROM records WHERE sequence <= ?').run(through);
  for (const span of Object.values(spans)) pruneRollUps(parts, span, through);
}

/** A sum cannot be taken apart: one that holds anything of it goes, and is made again of the records that are left. */
function pruneRollUps({ index, shapes }: IndexParts, span: number, through: number): void {
  const touched = index
    .prepare<[number, string, number], { start: number; last: number }>(
      'SELECT start, last FROM roll_ups WHERE span = ? AND skill = ? AND first <= ?',
    )
    .all(span, ofAll, through);
  const remove = index.prepare('DELETE FROM roll_ups WHERE span = ? AND start = ?');
  const records = index.prepare<[number, number], StoredRecord>(
    'SELECT sequence, time, shape, ended, duration_ms AS durationMs FROM records WHERE time >= ? AND time < ?',
  );
  const sums = rollUps(index, [span]);
  for (const { start, last } of touched) {
    remove.run(span, start);
    if (last <= through) continue;
    for (const { sequence, time, shape, ended, durationMs } of records.all(start, start + span)) {
      const { skill, outcome } = shapes.get(shape);
      sums.opened(sequence, time, skill);
      if (ended !== null) sums.closed(sequence, time, skill, outcome, durationMs);
    }
  }
  sums.flush();
}

interface StoredRecord {
  sequence: number;
  time: number;
  shape: number;
  ended: number | null;
  durationMs: number | null;
}
