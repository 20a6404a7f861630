import { thrownText } from '../outcome/thrown-text.ts';
import { usedNothing } from '../outcome/used.ts';
import type { RunResult } from './executor.ts';

/** What comes of a call that was canceled before anything of it ran; `sandbox` names the walls that it would have had. */
export function neverRun(reason: unknown, sandbox: string): RunResult {
  return {
    outcome: { status: 'canceled', reason: thrownText(reason) },
    usage: { durationMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    used: usedNothing,
    log: '',
    sandbox,
  };
}
