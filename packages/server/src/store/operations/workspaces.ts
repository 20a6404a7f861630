import { rowsOf, sql, type Transaction } from '../statement.ts';
import { joined, type Piece, pieceBytesMax, withStarts } from './pieces.ts';

/** The bytes of a file. */
export interface Content {
  sha256: string;
  content: Uint8Array;
}

export const workspaceOperations = {
  /** The records of all workspaces. */
  *workspaceRecords(): Transaction<readonly { id: string; record: string }[]> {
    return yield* rowsOf(sql`SELECT id, record FROM workspaces ORDER BY id`);
  },

  *workspaceContent(workspace: string, sha256: string): Transaction<Uint8Array | undefined> {
    const pieces = yield* rowsOf<Piece>(sql`
      ${withStarts(sql`SELECT octet_length(content) FROM contents WHERE workspace = ${workspace} AND sha256 = ${sha256}`)}
      SELECT start, CASE WHEN octet_length(content) <= ${pieceBytesMax} THEN content
        ELSE substr(content, start, ${pieceBytesMax}) END AS piece
      FROM contents CROSS JOIN starts WHERE workspace = ${workspace} AND sha256 = ${sha256}`);
    return pieces.length === 0 ? undefined : joined(pieces);
  },

  /** Adds contents, so that a record can name them. */
  *addContents(workspace: string, contents: readonly Content[]): Transaction<void> {
    for (const { sha256, content } of contents)
      yield sql`INSERT INTO contents (workspace, sha256, content) VALUES (${workspace}, ${sha256}, ${content})
        ON CONFLICT (workspace, sha256) DO NOTHING`;
  },

  /** Removes contents that neither the record nor `also` names. */
  *removeUnnamed(workspace: string, also: readonly string[]): Transaction<void> {
    const [found] = yield* rowsOf<{ record: string }>(
      sql`SELECT record FROM workspaces WHERE id = ${workspace}`,
    );
    yield* removeExcept(workspace, [...namedIn(found?.record), ...also]);
  },

  /** Replaces the record, and removes contents that it does not name. */
  *writeWorkspace(id: string, record: string): Transaction<void> {
    yield sql`INSERT INTO workspaces (id, record) VALUES (${id}, ${record})
      ON CONFLICT (id) DO UPDATE SET record = excluded.record`;
    yield* removeExcept(id, namedIn(record));
  },

  *removeWorkspace(id: string): Transaction<void> {
    yield sql`DELETE FROM workspaces WHERE id = ${id}`;
    yield sql`DELETE FROM contents WHERE workspace = ${id}`;
  },
};

function* removeExcept(workspace: string, named: readonly string[]): Transaction<void> {
  const stored = yield* rowsOf<{ sha256: string }>(
    sql`SELECT sha256 FROM contents WHERE workspace = ${workspace}`,
  );
  const remaining = new Set(named);
  for (const { sha256 } of stored)
    if (!remaining.has(sha256))
      yield sql`DELETE FROM contents WHERE workspace = ${workspace} AND sha256 = ${sha256}`;
}

/** The digests that a record names. Records were checked when they were written. */
function namedIn(record = '{"files":[]}'): string[] {
  const { files } = JSON.parse(record) as { files: readonly { sha256: string }[] };
  return files.map(({ sha256 }) => sha256);
}
