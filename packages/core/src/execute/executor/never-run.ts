import { thrownText } from '../../outcome/thrown-text.ts';
import { usedNothing } from '../../outcome/used.ts';
import type { RunResult } from './executor.ts';

/** The result of a call that was canceled before it ran. `sandbox` is the name of the intended sandbox. */
export function neverRun(reason: unknown, sandbox: string): RunResult {
  return {
    outcome: { status: 'canceled', reason: thrownText(reason) },
    usage: { durationMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    used: usedNothing,
    log: '',
    sandbox,
  };
}
