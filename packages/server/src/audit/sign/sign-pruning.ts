import type { KeyObject } from 'node:crypto';
import type { LogPruned } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import type { PrunePlan } from '../retention/plan-pruning.ts';
import type { AuditKey } from './audit-key.ts';
import { isSignedBy } from './signed.ts';

/** A plan as its event tells of it: with the word of the key that signs for the log. */
export type SignedPlan = PrunePlan & Pick<LogPruned, 'keyId' | 'signature'>;

/**
 * Signs for a pruning. The chain alone has no secret: without this, one event made up at its end would excuse that all
 * before it is gone.
 */
export function signPruning(database: Database, key: AuditKey, plan: PrunePlan): SignedPlan {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  const { keyId, signature } = key.sign(pruning(logId ?? '', plan));
  return { ...plan, keyId, signature };
}

/** Whether a key has signed for exactly this pruning of this log. */
export function isSignedPruning(key: KeyObject, logId: string, plan: SignedPlan): boolean {
  const { keyId, signature } = plan;
  return (
    typeof signature === 'string' && isSignedBy(key, { statement: pruning(logId, plan), keyId, signature })
  );
}

function pruning(logId: string, { what, through, hash, count }: PrunePlan) {
  return { type: 'ambit/pruning/1', logId, what, through, hash, count };
}
