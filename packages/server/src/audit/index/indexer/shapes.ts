import type { CallRecord, EntryPoint } from '@ambit/core/audit';
import type { Tier } from '@ambit/core/execute';
import { type RecordFilter, recordOutcomes } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';

/** What a record can be asked for by, besides time and text. */
export interface Shape {
  /** `null` for a request that named none, and for a skill that was not found. */
  skill: string | null;
  /** Somebody asked for a skill that there is not. Its name is with the record: anybody can think of a million. */
  isUnknown: boolean;
  actor: string | null;
  tier: Tier | null;
  via: EntryPoint;
  outcome: CallRecord['outcome'];
  /** The capabilities of which something was denied, each once, sorted. */
  denied: readonly string[];
}

/** The kinds of records that an index holds, by number. Kept in memory, and read anew when another process wrote. */
export interface Shapes {
  /** The number of a shape; the first time it gets one. */
  idOf(shape: Shape): number;
  get(id: number): Shape;
  /** Counts a record in, or out with -1. */
  count(id: number, by: number): void;
  /** Writes the counts; to be called before the transaction ends. */
  flush(): void;
  /** Those whose records may fit, with how many there are; a record of an unknown skill has to be asked for its name. */
  fitting(filter: RecordFilter): Map<number, number>;
  /** How many records there are. */
  total(): number;
  /** Forgets what was not written, and reads what others wrote. */
  reload(): void;
}

export function shapesOf(index: Database): Shapes {
  const all = index.prepare<[], { id: number; fields: string; records: number }>(
    'SELECT id, fields, records FROM shapes',
  );
  const insert = index.prepare('INSERT INTO shapes (id, fields, records) VALUES (?, ?, 0)');
  const add = index.prepare('UPDATE shapes SET records = records + ? WHERE id = ?');
  const byId = new Map<number, { shape: Shape; records: number }>();
  const ids = new Map<string, number>();
  const counts = new Map<number, number>();
  let highest = 0;

  const know = (id: number, fields: string, records: number): void => {
    byId.set(id, { shape: shapeOf(fields), records });
    ids.set(fields, id);
    highest = Math.max(highest, id);
  };
  const shapes: Shapes = {
    idOf(shape) {
      const fields = fieldsOf(shape);
      const known = ids.get(fields);
      if (known !== undefined) return known;
      const id = highest + 1;
      insert.run(id, fields);
      know(id, fields, 0);
      return id;
    },
    get(id) {
      const known = byId.get(id);
      if (known === undefined) throw new Error(`the index has no shape ${id}`);
      return known.shape;
    },
    count: (id, by) => counts.set(id, (counts.get(id) ?? 0) + by),
    flush() {
      for (const [id, by] of counts) {
        if (by === 0) continue;
        add.run(by, id);
        const known = byId.get(id);
        if (known !== undefined) known.records += by;
      }
      counts.clear();
    },
    fitting(filter) {
      const found = [...byId].filter(([, { shape, records }]) => records > 0 && fits(shape, filter));
      return new Map(found.map(([id, { records }]) => [id, records]));
    },
    total: () => [...byId.values()].reduce((sum, { records }) => sum + records, 0),
    reload() {
      byId.clear();
      ids.clear();
      counts.clear();
      highest = 0;
      for (const { id, fields, records } of all.all()) know(id, fields, records);
    },
  };
  shapes.reload();
  return shapes;
}

function fits(shape: Shape, { skill, actor, outcome, tier, via, denied }: RecordFilter): boolean {
  return (
    (skill === undefined || shape.isUnknown || shape.skill === skill) &&
    (actor === undefined || shape.actor === actor) &&
    (outcome === undefined || shape.outcome === outcome) &&
    (tier === undefined || shape.tier === tier) &&
    (via === undefined || shape.via === via) &&
    (denied === undefined || shape.denied.includes(denied))
  );
}

/** A shape as one text, the same for the same. */
export function fieldsOf({ skill, isUnknown, actor, tier, via, outcome, denied }: Shape): string {
  return JSON.stringify([skill, isUnknown, actor, tier, via, outcome, denied]);
}

function shapeOf(fields: string): Shape {
  const [skill, isUnknown, actor, tier, via, outcome, denied] = JSON.parse(fields);
  if (!recordOutcomes.includes(outcome)) throw new Error(`the index has an outcome ${outcome}`);
  return { skill, isUnknown, actor, tier, via, outcome, denied };
}
