import { setTimeout as delay } from 'node:timers/promises';
import type { PrunePlan, PruneRules } from './plan-pruning.ts';
import { type PrunableLog, pruneLog } from './prune-log.ts';

/** How often a daemon looks for what is too old or too much. */
const everyMs = 60 * 60 * 1000;

export interface PruningReport {
  onPruned(gone: readonly PrunePlan[]): void;
  onFailed(cause: unknown): void;
}

/** Prunes by the rules of the moment, now and every hour until it is ended; resolves then, when nothing is under way any more. */
export async function schedulePruning(
  log: PrunableLog,
  rules: () => PruneRules,
  { onPruned, onFailed }: PruningReport,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    try {
      const gone = await pruneLog(log, rules(), Date.now);
      if (gone.length > 0) onPruned(gone);
    } catch (cause) {
      // Calls are told of a log that cannot be written; this tries again.
      if (!ended.aborted) onFailed(cause);
    }
    await delay(everyMs, undefined, { ref: false, signal: ended }).catch(() => undefined);
  }
}
