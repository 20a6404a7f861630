import type { RecordedPayload } from '@ambit/core/internal';
import type { Database, Statement } from 'better-sqlite3';

/**
 * The number of sequences per table. A table whose payloads are all pruned is dropped, which leaves
 * nothing of them.
 */
const partitionSequences = 100_000;

/**
 * An index of the trigrams of stored payloads: only the records that it returns can contain a text.
 */
export interface TextIndex {
  /** Fast only in the order of sequences. */
  add(record: number, of: RecordedPayload['of'], text: string): void;
  /**
   * The records that may contain a text with these trigrams, newest first, from below `before` down
   * to `lowest`; `null` after each table that was searched.
   */
  candidates(trigrams: readonly string[], before: number, lowest: number): Generator<number | null>;
  /** Whether a payload is indexed. */
  has(record: number, of: RecordedPayload['of']): boolean;
  /**
   * Removes the payloads of events up to `through`; with `events`, of all records that were opened
   * until then.
   */
  prune(through: number, what: 'payloads' | 'events'): void;
  /** After a rollback, or a write by another process: clears the cache of tables. */
  reload(): void;
}

/** The distinct trigrams of a text, as the index folds them; empty for a shorter text. */
export function trigramsOf(text: string): string[] {
  const characters = [...folded(text)];
  return [...new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')))];
}

export function textIndex(index: Database): TextIndex {
  const inserts = new Map<number, Statement<[number, string]>>();
  const insertInto = (partition: number): Statement<[number, string]> => {
    index.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS text_${partition} USING fts5
       (text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
    );
    return index.prepare(`INSERT INTO text_${partition} (rowid, text) VALUES (?, ?)`);
  };
  const lookups = new Map<number, Pick<Statement<[number]>, 'get'>>();
  const lookupIn = (partition: number): Pick<Statement<[number]>, 'get'> =>
    partitions().includes(partition)
      ? index.prepare<[number]>(`SELECT 1 FROM text_${partition} WHERE rowid = ?`)
      : { get: () => undefined };
  const partitions = (): number[] =>
    index
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE name GLOB 'text_[0-9]*' AND sql LIKE 'CREATE VIRTUAL%'",
      )
      .pluck()
      .all()
      .map((name) => Number(name.slice('text_'.length)))
      .sort((a, b) => b - a);

  const remove = (partition: number, through: number, what: 'payloads' | 'events'): void => {
    const [from, to] = [partition * partitionSequences, (partition + 1) * partitionSequences];
    const later = index
      .prepare('SELECT 1 FROM records WHERE sequence >= ? AND sequence < ? AND ended > ? LIMIT 1')
      .get(from, to, through);
    if (to - 1 <= through && (what === 'events' || later === undefined)) {
      index.exec(`DROP TABLE text_${partition}`);
      return;
    }
    const gone = what === 'events' ? 'true' : 'ended <= @through';
    index
      .prepare(
        `DELETE FROM text_${partition} WHERE rowid IN (
           SELECT sequence * 2 FROM records WHERE sequence >= @from AND sequence < @to AND sequence <= @through
           UNION ALL
           SELECT sequence * 2 + 1 FROM records
           WHERE sequence >= @from AND sequence < @to AND sequence <= @through AND ${gone})`,
      )
      .run({ from, to, through });
    // Until then, deleted rows are only marked.
    index.exec(`INSERT INTO text_${partition} (text_${partition}) VALUES ('optimize')`);
  };

  return {
    add(record, of, text) {
      const partition = Math.floor(record / partitionSequences);
      const insert = inserts.get(partition) ?? insertInto(partition);
      inserts.set(partition, insert);
      // Folded by the same rules as the comparison, so that the index finds every match.
      insert.run(rowOf(record, of), folded(text));
    },
    has(record, of) {
      const partition = Math.floor(record / partitionSequences);
      const lookup = lookups.get(partition) ?? lookupIn(partition);
      lookups.set(partition, lookup);
      return lookup.get(rowOf(record, of)) !== undefined;
    },
    *candidates(trigrams, before, lowest) {
      const match = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
      let last: number | undefined;
      for (const partition of partitions()) {
        const from = partition * partitionSequences;
        if (from >= before || from + partitionSequences <= lowest) continue;
        const found = index
          .prepare<[string, number, number], number>(
            `SELECT rowid FROM text_${partition} WHERE text_${partition} MATCH ? AND rowid < CAST(? AS INTEGER) AND rowid >= CAST(? AS INTEGER) ORDER BY rowid DESC`,
          )
          .pluck()
          .iterate(match, before * 2, lowest * 2);
        for (const row of found) {
          const record = Math.floor(row / 2);
          if (record !== last) yield record;
          last = record;
        }
        yield null;
      }
    },
    prune(through, what) {
      for (const partition of partitions())
        if (partition * partitionSequences <= through) remove(partition, through, what);
      inserts.clear();
    },
    reload: () => inserts.clear(),
  };
}

function rowOf(record: number, of: RecordedPayload['of']): number {
  return record * 2 + (of === 'input' ? 0 : 1);
}

/** Folds like JavaScript's comparison. SQLite would end the text at a NUL. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\uFFFD').toWellFormed();
}
