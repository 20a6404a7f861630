import type { KeyObject } from 'node:crypto';
import type { LogPruned } from '@ambit/core/audit';
import type { Database } from 'better-sqlite3';
import type { AuditKey } from '../sign/audit-key.ts';
import { isSignedBy } from '../sign/signed.ts';
import type { PrunePlan } from './plan-pruning.ts';

/** A plan as recorded in its event, with a signature by the audit signing key. */
export type SignedPlan = PrunePlan & Pick<LogPruned, 'keyId' | 'signature'>;

/**
 * Signs a pruning. The chain itself has no secret: without a signature, one forged event at its end
 * could excuse the removal of everything before it.
 */
export function signPruning(database: Database, key: AuditKey, plan: PrunePlan): SignedPlan {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  const { keyId, signature } = key.sign(pruning(logId ?? '', plan));
  return { ...plan, keyId, signature };
}

/** Whether a key has signed exactly this pruning of this log. */
export function isSignedPruning(key: KeyObject, logId: string, plan: SignedPlan): boolean {
  const { keyId, signature } = plan;
  return (
    typeof signature === 'string' && isSignedBy(key, { statement: pruning(logId, plan), keyId, signature })
  );
}

function pruning(logId: string, { what, through, hash, count }: PrunePlan) {
  return { type: 'ambit/pruning/1', logId, what, through, hash, count };
}
