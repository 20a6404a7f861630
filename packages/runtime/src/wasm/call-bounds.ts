import type { Grant } from '@ambit/core/execute';
import { takeBounds } from '../process/sandbox/workspace/take-files.ts';
import type { HostBounds } from './pool/host-protocol.ts';

/** More than any call needs, and exact as a double. */
const unlimitedFuel = 2 ** 62;
const tableGrowth = 1000;
/** The size of a program's workspace. */
export const diskBytesMax = 64 * 1024 * 1024;

/** The limits that a host enforces for a call; its time is limited by the daemon. */
export function callBounds({ limits: { memoryBytes, outputBytes, fuel } }: Grant): HostBounds {
  return {
    memoryBytes,
    outputBytes,
    tableGrowth,
    takeBounds,
    fuel: fuel ?? unlimitedFuel,
    diskBytes: Math.min(memoryBytes, diskBytesMax),
  };
}
