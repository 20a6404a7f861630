import type { AuditLog } from '@ambit/core/audit';
import type { PrunePlan, PruneRules } from './plan-pruning.ts';
import type { SignedPlan } from './sign-pruning.ts';

/** The parts of a log that pruning needs. */
export interface PrunableLog extends Pick<AuditLog, 'append'> {
  /** Plans the range that these rules would remove now; `undefined` for nothing. */
  planPruning(rules: PruneRules, now: number): Promise<SignedPlan | undefined>;
  /**
   * Deletes what a plan covers, after the log has recorded it; with `null`, what remains of an
   * earlier plan.
   */
  prune(plan: PrunePlan | null): Promise<void>;
}

/**
 * A limit by size is estimated, so pruning repeats until the log fits or nothing more can be
 * removed.
 */
const roundsMax = 20;

/**
 * Removes what the retention policy does not retain. Each round first records the pruning in the
 * log, then deletes in small steps, with events written in between. Resolves to what was removed,
 * oldest first. Rejects with `AUDIT_UNAVAILABLE`.
 */
export async function pruneLog(
  log: PrunableLog,
  rules: PruneRules,
  now: () => number,
): Promise<readonly PrunePlan[]> {
  // A killed daemon may have left some of what it had recorded as pruned.
  await log.prune(null);
  if (rules.retentionBytes === null && rules.retentionDays === null) return [];
  const pruned: PrunePlan[] = [];
  while (pruned.length < roundsMax) {
    const plan = await log.planPruning(rules, now());
    if (plan === undefined) break;
    await log.append({ kind: 'log.pruned', time: now(), ...plan });
    await log.prune(plan);
    const { what, through, hash, count } = plan;
    pruned.push({ what, through, hash, count });
  }
  return pruned;
}
