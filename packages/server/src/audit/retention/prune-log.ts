import type { AuditLog } from '@ambit/core/audit';
import type { LogWriter } from '../log/log-writer.ts';
import type { PrunePlan, PruneRules } from './plan-pruning.ts';

/** The parts of a log that pruning needs. */
export type PrunableLog = Pick<AuditLog, 'append'> & Pick<LogWriter, 'planPruning' | 'prune'>;

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
