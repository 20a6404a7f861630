import type { ExecuteResult, Outcome } from '@ambit/core/execute';
import { usedNothing } from '@ambit/core/outcome';

/** The result of a call with this outcome. */
export function someResult(outcome: Outcome, more: Partial<ExecuteResult> = {}): ExecuteResult {
  return {
    executionId: 'e-1',
    outcome,
    usage: { durationMs: 12, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    used: usedNothing,
    log: '',
    audit: { sequence: 7, hash: 'sha256:7' },
    ...more,
  };
}
