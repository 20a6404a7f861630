import { expect } from 'vitest';
import { hasCgroups } from '../../packages/runtime/src/testing/has-cgroups.ts';

/** `cpuMs` and `memoryPeakBytes` of a program of the host: without cgroups they are unknown, and `null`. */
export const measured: unknown = hasCgroups ? expect.any(Number) : null;
