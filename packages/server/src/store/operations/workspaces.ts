import type { ClaimHolder } from '../../jobs/idempotency/claim-store.ts';
import { rowsOf, type Statement, sql, type Transaction } from '../statement.ts';

/** In one transaction: each can have a mebibyte, and other users of the store wait. */
const removedMax = 64;

/** A part of a file. */
export interface Content {
  sha256: string;
  /** Counted from 0. */
  part: number;
  content: Uint8Array;
}

/** A record, and whether the asking node holds the workspace: 1 or 0. */
type FoundRecord = { id: string; record: string; isHeld: number };

export const workspaceOperations = {
  /** The records of all workspaces. */
  *workspaceRecords(): Transaction<readonly { id: string; record: string }[]> {
    return yield* rowsOf(sql`SELECT id, record FROM workspaces ORDER BY id`);
  },

  /** A part of a file. */
  *workspaceContent(workspace: string, sha256: string, part: number): Transaction<Uint8Array | undefined> {
    const [found] = yield* rowsOf<{ content: Uint8Array }>(sql`SELECT content FROM contents
      WHERE workspace = ${workspace} AND sha256 = ${sha256} AND part = ${part}`);
    return found?.content;
  },

  /** The bytes of all workspaces but one. */
  *bytesBesides(id: string): Transaction<number> {
    const [found] = yield* rowsOf<{ bytes: number | null }>(
      sql`SELECT CAST(SUM(bytes) AS DOUBLE PRECISION) AS bytes FROM workspaces WHERE id <> ${id}`,
    );
    return found?.bytes ?? 0;
  },

  /** Adds contents, so that a record can name them. Returns whether `holder` still holds the workspace. */
  *addContents(workspace: string, contents: readonly Content[], holder?: ClaimHolder): Transaction<boolean> {
    if (!(yield* isHeldBy(workspace, holder))) return false;
    for (const { sha256, part, content } of contents)
      yield sql`INSERT INTO contents (workspace, sha256, part, content)
        VALUES (${workspace}, ${sha256}, ${part}, ${content})
        ON CONFLICT (workspace, sha256, part) DO NOTHING`;
    return true;
  },

  /**
   * Removes some of the contents that neither the record nor `also` names, and returns whether there are more. `lost` if
   * `holder` no longer holds the workspace.
   */
  *removeUnnamed(
    workspace: string,
    also: readonly string[],
    holder?: ClaimHolder,
  ): Transaction<'more' | 'done' | 'lost'> {
    if (!(yield* isHeldBy(workspace, holder))) return 'lost';
    const [found] = yield* rowsOf<{ record: string }>(
      sql`SELECT record FROM workspaces WHERE id = ${workspace}`,
    );
    const stored = yield* rowsOf<{ sha256: string; part: number }>(
      sql`SELECT sha256, part FROM contents WHERE workspace = ${workspace}`,
    );
    const named = new Set([...namedIn(found?.record), ...also]);
    const unnamed = stored.filter(({ sha256 }) => !named.has(sha256));
    for (const { sha256, part } of unnamed.slice(0, removedMax))
      yield sql`DELETE FROM contents WHERE workspace = ${workspace} AND sha256 = ${sha256} AND part = ${part}`;
    return unnamed.length > removedMax ? 'more' : 'done';
  },

  /** Replaces the record. `holder` then holds a new workspace. Returns whether it still holds an existing one. */
  *writeWorkspace(id: string, record: string, bytes: number, holder?: ClaimHolder): Transaction<boolean> {
    if (holder !== undefined) {
      const { node, epoch } = holder;
      const added = yield* rowsOf(sql`
        INSERT INTO workspaces (id, record, bytes, node, epoch)
        VALUES (${id}, ${record}, ${bytes}, ${node}, ${epoch})
        ON CONFLICT (id) DO NOTHING RETURNING id`);
      if (added.length === 0 && !(yield* isHeldBy(id, holder))) return false;
    }
    yield sql`INSERT INTO workspaces (id, record, bytes) VALUES (${id}, ${record}, ${bytes})
      ON CONFLICT (id) DO UPDATE SET record = excluded.record, bytes = excluded.bytes`;
    return true;
  },

  /** Returns whether `holder` still held it. */
  *removeWorkspace(id: string, holder?: ClaimHolder): Transaction<boolean> {
    if (!(yield* isHeldBy(id, holder))) return false;
    yield sql`DELETE FROM workspaces WHERE id = ${id}`;
    yield sql`DELETE FROM contents WHERE workspace = ${id}`;
    return true;
  },

  /**
   * Lets a node hold a workspace until it drops it or loses its epoch. Returns its record, and whether the node held it already;
   * `busy` if another node holds it, and `undefined` if it does not exist. Only in PostgreSQL.
   */
  *holdWorkspace(
    id: string,
    { node, epoch }: ClaimHolder,
  ): Transaction<{ record: string; isKept: boolean } | 'busy' | undefined> {
    const [found] = yield* rowsOf<{
      record: string;
      node: number | null;
      epoch: number | null;
      over: number;
    }>(sql`
      SELECT record, node, epoch, CASE WHEN EXISTS (
        SELECT 1 FROM nodes WHERE nodes.id = workspaces.node AND nodes.epoch = workspaces.epoch
      ) THEN 0 ELSE 1 END AS over FROM workspaces WHERE id = ${id} FOR UPDATE`);
    if (found === undefined) return undefined;
    if (found.node === node && found.epoch === epoch) return { record: found.record, isKept: true };
    if (found.node !== node && found.over === 0) return 'busy';
    yield sql`UPDATE workspaces SET node = ${node}, epoch = ${epoch} WHERE id = ${id}`;
    return { record: found.record, isKept: false };
  },

  *dropWorkspace(id: string, { node, epoch }: ClaimHolder): Transaction<void> {
    yield sql`UPDATE workspaces SET node = NULL, epoch = NULL WHERE id = ${id} AND node = ${node} AND epoch = ${epoch}`;
  },

  /** The record, and whether the node holds the workspace. Only in PostgreSQL. */
  *findWorkspace(id: string, holder: ClaimHolder): Transaction<FoundRecord | undefined> {
    const [found] = yield* rowsOf<FoundRecord>(sql`
      SELECT id, record, ${isHeldNow(holder)} AS "isHeld" FROM workspaces WHERE id = ${id}`);
    return found;
  },

  /** The workspaces of an owner, as `findWorkspace` does. */
  *findWorkspacesOf(owner: string, holder: ClaimHolder): Transaction<readonly FoundRecord[]> {
    return yield* rowsOf<FoundRecord>(sql`
      SELECT id, record, ${isHeldNow(holder)} AS "isHeld" FROM workspaces
      WHERE CAST(record AS JSON) ->> 'owner' = ${owner} ORDER BY id`);
  },
};

/** Whether the node holds the workspace of a row: 1 or 0. */
function isHeldNow({ node, epoch }: ClaimHolder): Statement {
  return sql`CASE WHEN workspaces.node = ${node} AND workspaces.epoch = ${epoch} AND EXISTS (
      SELECT 1 FROM nodes WHERE nodes.id = workspaces.node AND nodes.epoch = workspaces.epoch
    ) THEN 1 ELSE 0 END`;
}

/** Whether a node still holds a workspace, which no other can take until the transaction ends. Without a holder, always. */
function* isHeldBy(id: string, holder: ClaimHolder | undefined): Transaction<boolean> {
  if (holder === undefined) return true;
  const held = yield* rowsOf(sql`
    UPDATE workspaces SET node = node WHERE id = ${id} AND node = ${holder.node} AND epoch = ${holder.epoch}
      AND EXISTS (SELECT 1 FROM nodes WHERE nodes.id = ${holder.node} AND nodes.epoch = ${holder.epoch})
    RETURNING id`);
  return held.length > 0;
}

/** The digests that a record names. Records were checked when they were written. */
function namedIn(record = '{"files":[]}'): string[] {
  const { files } = JSON.parse(record) as { files: readonly { sha256: string }[] };
  return files.map(({ sha256 }) => sha256);
}
