import { cgroupLimits } from '../process/sandbox/cgroup/cgroup-limits.ts';

const limits = cgroupLimits();
limits?.close();

/**
 * Whether the user who runs the tests may create cgroups, which measure and limit a run of many
 * processes.
 */
export const hasCgroups = limits !== undefined;
