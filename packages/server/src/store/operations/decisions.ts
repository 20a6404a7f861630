import { type Row, rowsOf, sql, type Transaction } from '../statement.ts';

/** An approval as it is stored. */
export interface StoredApproval extends Row {
  id: string;
  digest: string;
  /** JSON. */
  record: string;
}

/** A revocation as it is stored. */
export interface StoredRevocation extends Row {
  subject: string;
  /** JSON. */
  record: string;
}

/** Every decision, with the revision that they have at least. */
export interface StoredDecisions {
  revision: number;
  approvals: readonly StoredApproval[];
  revocations: readonly StoredRevocation[];
}

/** The operations on what the operator decided about installed skills. */
export const decisionOperations = {
  *listDecisions(): Transaction<StoredDecisions> {
    const revision = yield* decisionsRevision();
    const approvals = yield* rowsOf<StoredApproval>(
      sql`SELECT id, digest, record FROM approvals ORDER BY id, digest`,
    );
    const revocations = yield* rowsOf<StoredRevocation>(
      sql`SELECT subject, record FROM revocations ORDER BY subject`,
    );
    return { revision, approvals, revocations };
  },
  /** A number that grows with each change. */
  decisionsRevision,
  /** Adds approvals, or replaces the approvals of the same versions. */
  *approve(approvals: readonly StoredApproval[]): Transaction<void> {
    yield* countChange();
    for (const { id, digest, record } of approvals)
      yield sql`INSERT INTO approvals (id, digest, record) VALUES (${id}, ${digest}, ${record})
                ON CONFLICT (id, digest) DO UPDATE SET record = excluded.record`;
  },
  /** Replaces the record of an approval if it is still this one. Returns whether it was. */
  *replaceApproval({ id, digest, record }: StoredApproval, next: string): Transaction<boolean> {
    const replaced = yield* rowsOf(sql`UPDATE approvals SET record = ${next}
      WHERE id = ${id} AND digest = ${digest} AND record = ${record} RETURNING id`);
    if (replaced.length > 0) yield* countChange();
    return replaced.length > 0;
  },
  /** Removes the approvals of every version of these skills, except of the kept one. */
  *disapprove(skills: readonly { id: string; keep: string | null }[]): Transaction<void> {
    yield* countChange();
    for (const { id, keep } of skills)
      yield sql`DELETE FROM approvals WHERE id = ${id} AND digest <> ${keep ?? ''}`;
  },
  *revoke(revocations: readonly StoredRevocation[]): Transaction<void> {
    yield* countChange();
    for (const { subject, record } of revocations)
      yield sql`INSERT INTO revocations (subject, record) VALUES (${subject}, ${record})
                ON CONFLICT (subject) DO NOTHING`;
  },
  /** Takes back a revocation. */
  *restore(subject: string): Transaction<void> {
    yield* countChange();
    yield sql`DELETE FROM revocations WHERE subject = ${subject}`;
  },
};

function* decisionsRevision(): Transaction<number> {
  const [row] = yield* rowsOf<{ revision: number }>(sql`SELECT revision FROM decisions WHERE id = 1`);
  return row?.revision ?? 0;
}

/** Locks the row, so that changes follow one another. */
function* countChange(): Transaction<void> {
  yield sql`INSERT INTO decisions (id, revision) VALUES (1, 1)
            ON CONFLICT (id) DO UPDATE SET revision = decisions.revision + 1`;
}
