import type { Database } from 'better-sqlite3';
import { type Shapes, shapesOf } from './shapes.ts';
import { type TextIndex, textIndex } from './text-index.ts';

/** The parts of an index over one connection: its tables, and their caches. */
export interface IndexParts {
  index: Database;
  shapes: Shapes;
  texts: TextIndex;
  /** The last indexed event. */
  through(): number;
}

export function indexParts(index: Database): IndexParts {
  const through = index.prepare<[], string>("SELECT value FROM meta WHERE key = 'through'").pluck();
  return {
    index,
    shapes: shapesOf(index),
    texts: textIndex(index),
    through: () => Number(through.get() ?? 0),
  };
}
