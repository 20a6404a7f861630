import type { ClaimHolder, NewClaim } from '../../jobs/idempotency/claim-store.ts';
import { rowsOf, type Statement, sql, type Transaction } from '../statement.ts';
import { concat, type Piece, pieceBytesMax, withStarts } from './pieces.ts';

/** A claim as it is stored. */
export interface StoredClaim {
  executionId: string;
  fingerprint: string;
  /** The node that runs the call, in a cluster; `null` without one, and after its run was interrupted. */
  node: number | null;
  epoch: number | null;
  /** JSON; `null` without a response. */
  head: string | null;
  body: Uint8Array | null;
}

/** The sums of an owner's stored claims. */
export interface OwnerSum {
  owner: string;
  claims: number;
  /** The bytes of the responses. */
  bytes: number;
}

const freedAtOnce = 50;

export const claimOperations = {
  /**
   * Stores the claim and returns `undefined`, unless its name has a claim from after `expiredBefore`. Replaces the claims of
   * `unrun` calls too, which have not run and never will.
   */
  *claim(
    { name, owner, executionId, fingerprint, claimedAt, holder }: NewClaim,
    expiredBefore: number,
    unrun: readonly string[] = [],
  ): Transaction<StoredClaim | undefined> {
    const { node = null, epoch = null } = holder ?? {};
    // This locks an existing row even without an update, so it cannot disappear before it is read.
    const ours = yield* rowsOf(sql`
      INSERT INTO claims (name, owner, execution_id, fingerprint, claimed_at, bytes, node, epoch)
      VALUES (${name}, ${owner}, ${executionId}, ${fingerprint}, ${claimedAt}, 0, ${node}, ${epoch})
      ON CONFLICT (name) DO UPDATE SET execution_id = excluded.execution_id, fingerprint = excluded.fingerprint,
        claimed_at = excluded.claimed_at, bytes = 0, node = excluded.node, epoch = excluded.epoch, head = NULL, body = NULL
      WHERE claims.claimed_at <= ${expiredBefore} AND ${isOver(holder !== undefined)}
      RETURNING name`);
    if (ours.length > 0) return undefined;
    // A call that is still running on another node is known however old it is.
    const known = yield* claimOperations.findClaim(name, holder === undefined ? expiredBefore : 0);
    if (known === undefined || !unrun.includes(known.executionId)) return known;
    const replaced = yield* rowsOf(sql`
      UPDATE claims SET execution_id = ${executionId}, fingerprint = ${fingerprint}, claimed_at = ${claimedAt}, node = ${node}, epoch = ${epoch}
      WHERE name = ${name} AND execution_id = ${known.executionId} AND head IS NULL AND ${wasNotReported(holder)}
      RETURNING name`);
    return replaced.length > 0 ? undefined : known;
  },

  /** Gives the claim of an interrupted call of the same request to a new call. Returns whether it still was interrupted. */
  *reclaim(
    { name, executionId, fingerprint, claimedAt, holder }: NewClaim,
    interrupted: string,
  ): Transaction<boolean> {
    const { node = null, epoch = null } = holder ?? {};
    const ours = yield* rowsOf(sql`
      UPDATE claims SET execution_id = ${executionId}, claimed_at = ${claimedAt}, node = ${node}, epoch = ${epoch}
      WHERE name = ${name} AND execution_id = ${interrupted} AND fingerprint = ${fingerprint} AND head IS NULL
        AND ${isOver(holder !== undefined)} AND ${isCurrent(holder)}
      RETURNING name`);
    return ours.length > 0;
  },

  /** Gives a claim that was taken with `reclaim` back to the interrupted call. */
  *giveBack({ name, executionId, holder }: NewClaim, interrupted: string): Transaction<void> {
    yield sql`
      UPDATE claims SET execution_id = ${interrupted}, node = NULL, epoch = NULL
      WHERE name = ${name} AND execution_id = ${executionId} AND head IS NULL AND ${isCurrent(holder)}`;
  },

  /** The claim of a name, if it was claimed after `expiredBefore`. */
  *findClaim(name: string, expiredBefore: number): Transaction<StoredClaim | undefined> {
    const rows = yield* rowsOf<Omit<StoredClaim, 'body'> & { start: number; piece: Uint8Array | null }>(sql`
      ${withStarts(sql`SELECT bytes FROM claims WHERE name = ${name}`)}
      SELECT execution_id AS "executionId", fingerprint, node, epoch, head, start,
        CASE WHEN bytes <= ${pieceBytesMax} THEN body ELSE substr(body, start, ${pieceBytesMax}) END AS piece
      FROM claims CROSS JOIN starts WHERE name = ${name} AND claimed_at > ${expiredBefore}`);
    const [found] = rows;
    if (found === undefined) return undefined;
    const { executionId, fingerprint, node, epoch, head, piece } = found;
    return { executionId, fingerprint, node, epoch, head, body: piece && concat(rows as readonly Piece[]) };
  },

  /** Whether the call still had the claim, without a response and, in a cluster, with the same holder. */
  *storeResponse(
    name: string,
    executionId: string,
    { head, body }: { head: string; body: Uint8Array },
    holder?: ClaimHolder,
  ): Transaction<boolean> {
    const { node = null, epoch = null } = holder ?? {};
    const stored = yield* rowsOf(sql`
      UPDATE claims SET head = ${head}, body = ${body}, bytes = ${body.length}
      WHERE name = ${name} AND execution_id = ${executionId} AND head IS NULL
        AND node IS NOT DISTINCT FROM ${node} AND epoch IS NOT DISTINCT FROM ${epoch} AND ${isCurrent(holder)}
      RETURNING name`);
    return stored.length > 0;
  },

  /** Removes the claim of a call without a response. Returns whether it existed and, in a cluster, its epoch has not ended. */
  *releaseClaim(name: string, executionId: string, holder?: ClaimHolder): Transaction<boolean> {
    const released = yield* rowsOf(sql`
      DELETE FROM claims WHERE name = ${name} AND execution_id = ${executionId} AND head IS NULL AND ${isCurrent(holder)}
      RETURNING name`);
    return released.length > 0;
  },

  /** Drops an owner's oldest responses, until at least `bytes` are free or none is left. Returns how many are free. */
  *dropResponses(owner: string, bytes: number): Transaction<number> {
    let freed = 0;
    while (freed < bytes) {
      const oldest = yield* rowsOf<{ name: string; bytes: number }>(sql`
        SELECT name, bytes FROM claims WHERE owner = ${owner} AND bytes > 0
        ORDER BY claimed_at LIMIT ${freedAtOnce}`);
      if (oldest.length === 0) break;
      for (const { name, bytes: its } of oldest) {
        if (freed >= bytes) break;
        const dropped = yield* rowsOf(sql`
          UPDATE claims SET head = NULL, body = NULL, bytes = 0 WHERE name = ${name} AND bytes = ${its}
          RETURNING name`);
        if (dropped.length > 0) freed += its;
      }
    }
    return freed;
  },

  /** Removes at most `max` claims from before a time, except `busy` names and what other nodes run. Returns how many it removed. */
  *sweepClaims(before: number, busy: readonly string[], max: number, isShared = false): Transaction<number> {
    const expired = yield* rowsOf<{ name: string }>(sql`
      SELECT name FROM claims WHERE claimed_at <= ${before} AND ${isOver(isShared)} ORDER BY claimed_at LIMIT ${max + busy.length}`);
    const names = expired.map(({ name }) => name).filter((name) => !busy.includes(name));
    for (const name of names) yield sql`DELETE FROM claims WHERE name = ${name} AND claimed_at <= ${before}`;
    return names.length;
  },

  /** Sums the stored claims of each owner. */
  *sumClaims(): Transaction<readonly OwnerSum[]> {
    return yield* rowsOf<OwnerSum & Record<string, unknown>>(sql`
      SELECT owner, count(*) AS claims, CAST(sum(bytes) AS BIGINT) AS bytes FROM claims GROUP BY owner`);
  },
};

/** Whether no node runs the call of a row. Only PostgreSQL has nodes. */
function isOver(isShared: boolean): Statement {
  if (!isShared) return sql`TRUE`;
  return sql`(claims.head IS NOT NULL OR NOT EXISTS (
    SELECT id FROM nodes WHERE nodes.id = claims.node AND nodes.epoch = claims.epoch))`;
}

/** Whether no other node has reported the call of a row as interrupted. Only then may the key run after all. */
function wasNotReported(holder: ClaimHolder | undefined): Statement {
  if (holder === undefined) return sql`TRUE`;
  return sql`EXISTS (SELECT id FROM nodes WHERE nodes.id = claims.node AND nodes.epoch = claims.epoch)`;
}

/** A claim can arrive after its epoch has ended. Other nodes report it as interrupted then, so it never gets a response. */
function isCurrent(holder: ClaimHolder | undefined): Statement {
  if (holder === undefined) return sql`TRUE`;
  return sql`EXISTS (SELECT id FROM nodes WHERE id = ${holder.node} AND epoch = ${holder.epoch})`;
}
