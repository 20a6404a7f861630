import type { RecordedPayload } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import { foldCase, textSequences } from '../log-index.ts';
import type { IndexedText } from '../next-records.ts';

/**
 * The trigrams of stored payloads, in one FTS5 table per range of sequences. Two rows per record: input and
 * output. When the records of a table are pruned, it is dropped, which leaves no trace of them.
 */
export function textIndex(index: Database) {
  const tables = index
    .prepare<[], number>(
      `SELECT CAST(substr(name, 6) AS INTEGER) AS number FROM sqlite_schema
       WHERE name GLOB 'text_[0-9]*' AND sql LIKE 'CREATE VIRTUAL%' ORDER BY number DESC`,
    )
    .pluck();
  return {
    /** The numbers of the tables, newest first. */
    tables: () => tables.all(),
    add(texts: readonly IndexedText[]): void {
      for (const [table, group] of Map.groupBy(texts, ({ record }) => Math.floor(record / textSequences))) {
        index.exec(
          `CREATE VIRTUAL TABLE IF NOT EXISTS text_${table} USING fts5
           (text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
        );
        const insert = index.prepare(`INSERT INTO text_${table} (rowid, text) VALUES (?, ?)`);
        // FTS5 is much faster in the order of rows.
        for (const { row, text } of group
          .map(({ record, of, text }) => ({ row: rowOf(record, of), text }))
          .sort((a, b) => a.row - b.row))
          insert.run(row, foldCase(text));
      }
    },
    /** Tells whether a payload is indexed. */
    finder() {
      const lookups = new Map(
        tables.all().map((table) => [table, index.prepare(`SELECT 1 FROM text_${table} WHERE rowid = ?`)]),
      );
      return (record: number, of: RecordedPayload['of']) =>
        lookups.get(Math.floor(record / textSequences))?.get(rowOf(record, of)) !== undefined;
    },
    /** Removes the payloads of events up to `through`; with `events`, of all records that began until then. */
    prune(through: number, what: 'payloads' | 'events'): void {
      for (const table of tables.all()) {
        if (table * textSequences > through) continue;
        if (what === 'events' && (table + 1) * textSequences <= through) {
          index.exec(`DROP TABLE text_${table}`);
          continue;
        }
        const { changes } = index
          .prepare(
            `DELETE FROM text_${table} WHERE rowid IN (
               SELECT id FROM text_${table}_docsize WHERE id / 2 <= @through AND (id % 2 = 0 OR @what = 'events'
                 OR (SELECT ended FROM calls WHERE sequence = id / 2) <= @through))`,
          )
          .run({ through, what });
        // Until then, deleted rows are only marked.
        if (changes > 0) index.exec(`INSERT INTO text_${table} (text_${table}) VALUES ('optimize')`);
      }
    },
  };
}

/**
 * An FTS5 query for the trigrams of a text that are rarest in some other texts, because frequent
 * ones are slow to look up; `undefined` for a text without trigrams.
 */
export function trigramQuery(text: string, sample: readonly string[]): string | undefined {
  const characters = [...foldCase(text)];
  const trigrams = new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')));
  const others = sample.map(foldCase);
  const rarest = [...trigrams]
    .map((trigram) => ({ trigram, texts: others.filter((other) => other.includes(trigram)).length }))
    .sort((a, b) => a.texts - b.texts)
    .slice(0, trigramsMax)
    .map(({ trigram }) => `"${trigram.replaceAll('"', '""')}"`);
  return rarest.length === 0 ? undefined : rarest.join(' AND ');
}

const trigramsMax = 4;

function rowOf(record: number, of: RecordedPayload['of']): number {
  return record * 2 + (of === 'input' ? 0 : 1);
}
