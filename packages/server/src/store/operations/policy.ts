import { now } from '../postgres/database-time.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';
import type { StoredDocument } from './documents.ts';
import { addEntry, type ClusterEntry, type EntryRefusal, refusalOf } from './nodes.ts';

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
  /** The node that signed the statement. */
  signer: number | null;
  /** The certificate of the signer, PEM. */
  certificate: string | null;
  /** 1: the signer was retired before, or nothing records when. */
  isRetired: number | null;
}

/** Only in PostgreSQL. */
export const policyOperations = {
  /**
   * Writes the revision `next` after `revision`, with the entry that names it. Returns `changed` if there is a later revision.
   */
  *changePolicy(
    revision: number,
    next: number,
    { content, actor, node }: Pick<StoredDocument, 'content' | 'actor' | 'node'>,
    entry: ClusterEntry,
  ): Transaction<'written' | 'changed' | EntryRefusal> {
    const refusal = yield* refusalOf(entry);
    if (refusal !== undefined) return refusal;
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

  /**
   * The revision of the policy, and a text that changes with its row and with each entry of the cluster's log: an administrator of
   * the database can change the content under the same revision.
   */
  *policyState(): Transaction<{ revision: number; state: string }> {
    const [found] = yield* rowsOf<{ revision: number; state: string }>(sql`
      SELECT coalesce(policy.revision, 0) AS revision,
        concat_ws(' ', CAST(policy.xmin AS TEXT), (SELECT max(sequence) FROM cluster_log)) AS state
      FROM (SELECT 1) AS one LEFT JOIN documents AS policy ON policy.subject = 'policy'`);
    return found ?? { revision: 0, state: '' };
  },

  /**
   * The policy and the last entry about it, from one snapshot; `undefined` if there is neither. Entries are compared as the text that
   * nodes sign: a row that is no JSON is none of theirs, and must not make this fail.
   */
  *readPolicy(): Transaction<StoredPolicy | undefined> {
    const [found] = yield* rowsOf<StoredPolicy & Record<string, unknown>>(sql`
      SELECT document.revision, document.content, document.actor, document.changed_at AS "changedAt", entry.sequence,
        entry.statement, entry.signature, entry.node AS signer, nodes.certificate,
        CAST(coalesce(retired.sequence < entry.sequence, nodes.state = 'retired') AS INTEGER) AS "isRetired"
      FROM (SELECT * FROM documents WHERE subject = 'policy' AND revision > 0) AS document
      FULL JOIN (
        SELECT * FROM cluster_log WHERE statement LIKE '%"kind":"policy.changed"%'
        ORDER BY sequence DESC LIMIT 1) AS entry ON TRUE
      LEFT JOIN nodes ON nodes.id = entry.node
      LEFT JOIN LATERAL (
        SELECT min(sequence) AS sequence FROM cluster_log
        WHERE statement LIKE '%"kind":"node.retired"%' AND statement LIKE concat('%"node":', entry.node, ',%')) AS retired ON TRUE`);
    return found;
  },
};
