import { expect } from 'vitest';
import { hasCgroups } from '../../packages/runtime/src/testing/has-cgroups.ts';

/** `cpuMs` and `memoryPeakBytes` of a host program: `null` without cgroups. */
export const measured: unknown = hasCgroups ? expect.any(Number) : null;
