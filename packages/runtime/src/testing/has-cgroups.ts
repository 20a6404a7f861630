import { cgroupLimits } from '../process/sandbox/cgroup/cgroup-limits.ts';

const ceilings = cgroupLimits();
ceilings?.close();

/** Whether whoever runs the tests may write cgroups, which measure and bound a run of many processes as a whole. */
export const hasCgroups = ceilings !== undefined;
