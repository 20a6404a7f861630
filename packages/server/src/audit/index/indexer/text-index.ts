import type { RecordedPayload } from '@ambit/core/internal';
import type { Database, Statement } from 'better-sqlite3';

/** A table for so many sequences: when payloads are pruned it is dropped whole, and nothing of them is left. */
const partitionSequences = 100_000;

/** Which records keep a text, told from three characters in a row: a record that is named may keep it, no other does. */
export interface TextIndex {
  /** To be called in the order of sequences, or it is slow. */
  add(record: number, of: RecordedPayload['of'], text: string): void;
  /**
   * The records that may keep a text with these trigrams, newest first, from below `before` down to `lowest`; `null` for
   * each table that has been looked through.
   */
  candidates(trigrams: readonly string[], before: number, lowest: number): Generator<number | null>;
  /** Whether it has anything of a payload. */
  has(record: number, of: RecordedPayload['of']): boolean;
  /** Takes out the payloads of events up to `through`; with `events`, of all records that were opened until then. */
  prune(through: number, what: 'payloads' | 'events'): void;
  /** After a transaction that came to nothing, or another process that wrote: what was known of tables may be wrong. */
  reload(): void;
}

/** Every three characters in a row of a text, each once, as the index knows them: none of a text that is shorter. */
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
    // Until then what was deleted is only marked as such.
    index.exec(`INSERT INTO text_${partition} (text_${partition}) VALUES ('optimize')`);
  };

  return {
    add(record, of, text) {
      const partition = Math.floor(record / partitionSequences);
      const insert = inserts.get(partition) ?? insertInto(partition);
      inserts.set(partition, insert);
      // As it is compared: folded by the same rules, so that the index finds all that does.
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

/** The comparison is JavaScript's; NUL would end the text for SQLite. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('\0', '\uFFFD').toWellFormed();
}
