import type { Grant } from '@ambit/core/execute';
import { takeBounds } from '../process/sandbox/workspace/take-files.ts';
import type { HostBounds } from './pool/host-protocol.ts';

/** More than any call needs, and a number that both ends hold exactly. */
const unlimitedFuel = 2 ** 62;
const tableGrowth = 1000;
/** As much as a program's workspace has. */
export const diskBytesMax = 64 * 1024 * 1024;

/** What a host bounds a call by; its time is bounded from outside. */
export function callBounds({ limits: { memoryBytes, outputBytes, fuel } }: Grant): HostBounds {
  return {
    ...{ memoryBytes, outputBytes, tableGrowth, takeBounds },
    fuel: fuel ?? unlimitedFuel,
    diskBytes: Math.min(memoryBytes, diskBytesMax),
  };
}
