import { type Row, type Statement, sql } from '../statement.ts';

/**
 * The most bytes of a value in one row. The client of PostgreSQL blocks the event loop while it reads
 * a row, as a string of two characters per byte.
 */
export const pieceBytesMax = 2 * 1024 * 1024;

/** A part of a value that begins at `start`, counted from 1. */
export interface Piece extends Row {
  start: number;
  piece: Uint8Array;
}

/** A table `starts` with the start of each piece of a value, whose bytes are counted by a query. */
export function withStarts(bytes: Statement): Statement {
  return sql`WITH RECURSIVE starts(start) AS (
    SELECT 1 UNION ALL SELECT start + ${pieceBytesMax} FROM starts WHERE start + ${pieceBytesMax} <= (${bytes}))`;
}

/** The value of these pieces, at least one, in any order. */
export function concat(pieces: readonly Piece[]): Uint8Array {
  const inOrder = pieces.toSorted((one, other) => one.start - other.start).map(({ piece }) => piece);
  const [first] = inOrder;
  return first !== undefined && inOrder.length === 1 ? first : Buffer.concat(inOrder);
}
