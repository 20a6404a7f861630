import type { AuditLog } from '@ambit/core/audit';
import type { LogWriter } from '../log/log-writer.ts';
import type { PrunePlan, PruneRules } from './plan-pruning.ts';

/** The log, as far as pruning needs it. */
export type PrunableLog = Pick<AuditLog, 'append'> & Pick<LogWriter, 'planPruning' | 'prune'>;

/** By size, what goes is estimated: again, until it fits or nothing more can go. */
const roundsMax = 20;

/**
 * Takes out of a log what the rules do not keep: each time it first says so in the log, and then deletes in small steps,
 * between which events are written. Resolves to what went, oldest first. Rejects with `AUDIT_UNAVAILABLE`.
 */
export async function pruneLog(
  log: PrunableLog,
  rules: PruneRules,
  now: () => number,
): Promise<readonly PrunePlan[]> {
  // A daemon that was killed may have left some of what it said was gone.
  await log.prune(null);
  if (rules.retentionBytes === null && rules.retentionDays === null) return [];
  const gone: PrunePlan[] = [];
  while (gone.length < roundsMax) {
    const plan = await log.planPruning(rules, now());
    if (plan === undefined) break;
    await log.append({ kind: 'log.pruned', time: now(), ...plan });
    await log.prune(plan);
    const { what, through, hash, count } = plan;
    gone.push({ what, through, hash, count });
  }
  return gone;
}
