import { now } from '../postgres/database-time.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';
import type { StoredDocument } from './documents.ts';
import { addEntry, type ClusterEntry, isNext } from './nodes.ts';

/** The policy of a cluster, and the entry of the cluster's log that names it. Fields of what is absent are `null`. */
export interface StoredPolicy {
  revision: number | null;
  /** JSON. */
  content: string | null;
  actor: string | null;
  changedAt: number | null;
  /** The place of the last entry about a policy in the cluster's log. */
  sequence: number | null;
  statement: string | null;
  signature: string | null;
  /** Who signed the statement. */
  signer: number | null;
  /** Of the signer, PEM. */
  certificate: string | null;
  /** 1: the signer was retired before. */
  isRetired: number | null;
}

/** Only in PostgreSQL. */
export const policyOperations = {
  /**
   * Writes the revision `next` after `revision`, with the entry that names it. Returns `changed` if there is a later revision, and
   * `late` if another entry has taken its place.
   */
  *changePolicy(
    revision: number,
    next: number,
    { content, actor, node }: Pick<StoredDocument, 'content' | 'actor' | 'node'>,
    entry: ClusterEntry,
  ): Transaction<'written' | 'changed' | 'late'> {
    if (!(yield* isNext(entry))) return 'late';
    yield sql`
      INSERT INTO documents (subject, revision, content, actor, node, changed_at)
      VALUES ('policy', 0, '', '', 0, 0) ON CONFLICT (subject) DO NOTHING`;
    const written = yield* rowsOf(sql`
      UPDATE documents SET revision = ${next}, content = ${content}, actor = ${JSON.stringify(actor)}, node = ${node},
        changed_at = ${now}
      WHERE subject = 'policy' AND revision = ${revision} RETURNING revision`);
    if (written.length === 0) return 'changed';
    yield* addEntry(entry);
    return 'written';
  },

  /** The policy and the last entry about it, from one snapshot; `undefined` if there is neither. */
  *readPolicy(): Transaction<StoredPolicy | undefined> {
    const [found] = yield* rowsOf<StoredPolicy & Record<string, unknown>>(sql`
      SELECT document.revision, document.content, document.actor, document.changed_at AS "changedAt", entry.sequence,
        entry.statement, entry.signature, entry.node AS signer, nodes.certificate,
        CAST(EXISTS (
          SELECT 1 FROM cluster_log AS earlier WHERE earlier.sequence < entry.sequence
            AND CAST(earlier.statement AS JSON) ->> 'kind' = 'node.retired'
            AND CAST(earlier.statement AS JSON) ->> 'node' = CAST(entry.node AS TEXT)) AS INTEGER) AS "isRetired"
      FROM (SELECT * FROM documents WHERE subject = 'policy' AND revision > 0) AS document
      FULL JOIN (
        SELECT * FROM cluster_log WHERE CAST(statement AS JSON) ->> 'kind' = 'policy.changed'
        ORDER BY sequence DESC LIMIT 1) AS entry ON TRUE
      LEFT JOIN nodes ON nodes.id = entry.node`);
    return found;
  },
};
