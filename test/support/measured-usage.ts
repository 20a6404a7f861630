import { expect } from 'vitest';
import { cgroupCeilings } from '../../packages/runtime/src/index.ts';

const ceilings = cgroupCeilings();
ceilings?.close();

/** Whether a daemon started by this user has cgroups, which measure and bound a run of many processes as a whole. */
export const hasCgroups = ceilings !== undefined;

/** `cpuMs` and `memoryPeakBytes` of a program of the host: without cgroups they are unknown, and `null`. */
export const measured: unknown = hasCgroups ? expect.any(Number) : null;
