import { cgroupCeilings } from '../process/sandbox/ceilings/cgroup-ceilings.ts';

const ceilings = cgroupCeilings();
ceilings?.close();

/** Whether whoever runs the tests may write cgroups, which measure and bound a run of many processes as a whole. */
export const hasCgroups = ceilings !== undefined;
