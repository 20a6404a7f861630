import { now } from '../postgres/database-time.ts';
import { rowsOf, sql, type Transaction } from '../statement.ts';

/** The documents that all nodes of a cluster share as a whole. */
export type DocumentSubject = 'catalog' | 'policy';

/** A revision of a document. */
export interface StoredDocument {
  revision: number;
  /** JSON. */
  content: string;
  /** The user who changed it, and the node. */
  actor: string;
  node: number;
  changedAt: number;
}

/** The time in which a node may write the revision that it has claimed. */
const claimMs = 60_000;

/**
 * Documents with revisions: a node claims the next revision before it records a change, and then writes it. Only in
 * PostgreSQL.
 */
export const documentOperations = {
  /** The revision of a document, 0 before the first. Grows with each change. */
  *documentRevision(subject: DocumentSubject): Transaction<number> {
    const [found] = yield* rowsOf<{ revision: number }>(
      sql`SELECT revision FROM documents WHERE subject = ${subject}`,
    );
    return found?.revision ?? 0;
  },

  /** The last revision; `undefined` before the first. */
  *readDocument(subject: DocumentSubject): Transaction<StoredDocument | undefined> {
    const [found] = yield* rowsOf<StoredDocument & Record<string, unknown>>(sql`
      SELECT revision, content, actor, node, changed_at AS "changedAt"
      FROM documents WHERE subject = ${subject} AND revision > 0`);
    return found;
  },

  /**
   * Claims the revision after `revision` for the bearer of `claim`. Returns `changed` if there is a later revision, and
   * `claimed` if another change has claimed it.
   */
  *claimDocument(
    subject: DocumentSubject,
    revision: number,
    claim: string,
  ): Transaction<'granted' | 'changed' | 'claimed'> {
    yield sql`
      INSERT INTO documents (subject, revision, content, actor, node, changed_at)
      VALUES (${subject}, 0, '', '', 0, 0) ON CONFLICT (subject) DO NOTHING`;
    const granted = yield* rowsOf(sql`
      UPDATE documents SET claim = ${claim}, claimed_until = ${now} + ${claimMs}
      WHERE subject = ${subject} AND revision = ${revision} AND (claim IS NULL OR claimed_until < ${now})
      RETURNING revision`);
    if (granted.length > 0) return 'granted';
    return (yield* documentOperations.documentRevision(subject)) === revision ? 'claimed' : 'changed';
  },

  /** Writes the claimed revision, and ends the claim. Returns its number; `undefined` if the claim has been lost. */
  *writeDocument(
    subject: DocumentSubject,
    claim: string,
    { content, actor, node }: Pick<StoredDocument, 'content' | 'actor' | 'node'>,
  ): Transaction<number | undefined> {
    const [written] = yield* rowsOf<{ revision: number }>(sql`
      UPDATE documents SET revision = revision + 1, content = ${content}, actor = ${JSON.stringify(actor)}, node = ${node},
        changed_at = ${now}, claim = NULL, claimed_until = NULL
      WHERE subject = ${subject} AND claim = ${claim} RETURNING revision`);
    return written?.revision;
  },

  /** Ends a claim without a change. */
  *releaseDocument(subject: DocumentSubject, claim: string): Transaction<void> {
    yield sql`
      UPDATE documents SET claim = NULL, claimed_until = NULL WHERE subject = ${subject} AND claim = ${claim}`;
  },
};
