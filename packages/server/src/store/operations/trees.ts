import { now } from '../postgres/database-time.ts';
import { type Row, rowsOf, sql, type Transaction } from '../statement.ts';
import { pieceBytesMax } from './pieces.ts';

/** A file of a folder. */
export interface TreeFile {
  /** In the folder, with slashes. */
  path: string;
  /** The digest of its content, hex. */
  sha256: string;
  bytes: number;
  /** Its permissions: 0o644, or 0o755 for a program. */
  mode: number;
}

/** A part of a content, which begins at the byte `start`, counted from 0. Parts are full, except the last one. */
export interface BlobPiece extends Row {
  sha256: string;
  start: number;
  piece: Uint8Array;
}

/** The time after which a file without references is removed. An upload can take its time. */
const unusedMs = 24 * 60 * 60 * 1000;

/**
 * Folders by digest, such as the versions of installed skills, whose contents are stored once, by their SHA-256. Only in
 * PostgreSQL. What is read has to be verified: the database is not trusted with it.
 */
export const treeOperations = {
  /** The digests without a stored folder. A folder that is there is protected from removal for a day. */
  *missingTrees(digests: readonly string[]): Transaction<readonly string[]> {
    const found = yield* rowsOf<{ digest: string }>(sql`
      UPDATE trees SET used_at = ${now} WHERE digest IN (${listed(digests)}) RETURNING digest`);
    const stored = new Set(found.map(({ digest }) => digest));
    return digests.filter((digest) => !stored.has(digest));
  },

  /** The contents of files that are not stored completely, by SHA-256. Protects the others as `missingTrees` does. */
  *missingBlobs(files: readonly TreeFile[]): Transaction<readonly string[]> {
    yield sql`UPDATE blobs SET used_at = ${now} WHERE sha256 IN (${listed(files.map(({ sha256 }) => sha256))})`;
    return yield* incomplete(files);
  },

  *storeBlobs(pieces: readonly BlobPiece[]): Transaction<void> {
    for (const { sha256, start, piece } of pieces)
      yield sql`
        INSERT INTO blobs (sha256, start, piece, used_at) VALUES (${sha256}, ${start}, ${piece}, ${now})
        ON CONFLICT (sha256, start) DO UPDATE SET used_at = excluded.used_at`;
  },

  /** Stores a folder. Returns the contents that are missing; then nothing is stored. */
  *storeTree(digest: string, files: readonly TreeFile[]): Transaction<readonly string[]> {
    const missing = yield* treeOperations.missingBlobs(files);
    if (missing.length > 0) return missing;
    yield sql`INSERT INTO trees (digest, used_at) VALUES (${digest}, ${now})
      ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at`;
    yield sql`
      INSERT INTO tree_files (digest, path, sha256, bytes, mode)
      SELECT ${digest}, path, sha256, bytes, mode
      FROM json_to_recordset(${JSON.stringify(files)}) AS file (path TEXT, sha256 TEXT, bytes BIGINT, mode INTEGER)
      ON CONFLICT (digest, path) DO NOTHING`;
    return [];
  },

  /** The files of a folder, by path; `undefined` if it is not stored. */
  *treeFiles(digest: string): Transaction<readonly TreeFile[] | undefined> {
    const stored = yield* rowsOf(sql`SELECT digest FROM trees WHERE digest = ${digest}`);
    if (stored.length === 0) return undefined;
    return yield* rowsOf<TreeFile & Record<string, unknown>>(
      sql`SELECT path, sha256, bytes, mode FROM tree_files WHERE digest = ${digest} ORDER BY path`,
    );
  },

  /** The first pieces of contents. The caller asks for as much as it can hold. */
  *firstPieces(sha256s: readonly string[]): Transaction<readonly BlobPiece[]> {
    return yield* rowsOf<BlobPiece>(
      sql`SELECT sha256, start, piece FROM blobs WHERE start = 0 AND sha256 IN (${listed(sha256s)})`,
    );
  },

  *blobPiece(sha256: string, start: number): Transaction<Uint8Array | undefined> {
    const [found] = yield* rowsOf<BlobPiece>(
      sql`SELECT piece FROM blobs WHERE sha256 = ${sha256} AND start = ${start}`,
    );
    return found?.piece;
  },

  /** Removes the folders except these, and contents that no folder has, if they have not been used for a day. */
  *removeUnusedTrees(digests: readonly string[]): Transaction<void> {
    yield sql`DELETE FROM trees WHERE used_at < ${now} - ${unusedMs} AND digest NOT IN (${listed(digests)})`;
    yield sql`DELETE FROM tree_files WHERE NOT EXISTS (SELECT FROM trees WHERE trees.digest = tree_files.digest)`;
    yield sql`
      DELETE FROM blobs WHERE used_at < ${now} - ${unusedMs}
        AND NOT EXISTS (SELECT FROM tree_files WHERE tree_files.sha256 = blobs.sha256)`;
  },
};

function* incomplete(files: readonly TreeFile[]): Transaction<readonly string[]> {
  const found = yield* rowsOf<{ sha256: string }>(sql`
    WITH wanted AS (
      SELECT DISTINCT sha256, bytes FROM json_to_recordset(${JSON.stringify(files)}) AS file (sha256 TEXT, bytes BIGINT))
    SELECT sha256 FROM wanted WHERE bytes > 0 AND bytes <> coalesce(
      (SELECT CAST(sum(octet_length(piece)) AS BIGINT) FROM blobs WHERE blobs.sha256 = wanted.sha256), 0)
    ORDER BY sha256`);
  return found.map(({ sha256 }) => sha256);
}

function listed(texts: readonly string[]) {
  return sql`SELECT value FROM json_array_elements_text(${JSON.stringify(texts)})`;
}

/** The number of bytes that one operation reads or stores at most. */
export const batchBytesMax = pieceBytesMax;
