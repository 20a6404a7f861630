import { setTimeout as delay } from 'node:timers/promises';
import type { PrunePlan, PruneRules } from './plan-pruning.ts';
import { type PrunableLog, pruneLog } from './prune-log.ts';

/** The interval at which a daemon prunes. */
const everyMs = 60 * 60 * 1000;

export interface PruningReport {
  onPruned(pruned: readonly PrunePlan[]): void;
  onFailed(cause: unknown): void;
}

/**
 * Prunes by the current rules, now and every hour until `ended`; then resolves when nothing is
 * running.
 */
export async function schedulePruning(
  log: PrunableLog,
  rules: () => PruneRules,
  { onPruned, onFailed }: PruningReport,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    try {
      const pruned = await pruneLog(log, rules(), Date.now);
      if (pruned.length > 0) onPruned(pruned);
    } catch (cause) {
      // Calls report a log that cannot be written; this tries again later.
      if (!ended.aborted) onFailed(cause);
    }
    await delay(everyMs, undefined, { ref: false, signal: ended }).catch(() => undefined);
  }
}
