import type { Grant } from '@ambit/core';
import type { HostBounds } from './pool/host-protocol.ts';

/** More than any call needs, and a number that both ends hold exactly. */
const unlimitedFuel = 2 ** 62;
const tableGrowth = 1000;

/** What a host bounds a call by; its time is bounded from outside. */
export function callBounds({ limits: { memoryBytes, outputBytes, fuel } }: Grant): HostBounds {
  return { memoryBytes, outputBytes, fuel: fuel ?? unlimitedFuel, tableGrowth };
}
