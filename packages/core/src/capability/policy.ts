import type { Capabilities } from './capabilities.ts';
import type { RequestedLimits } from './limits.ts';
import type { Tier, TierCeiling } from './tier.ts';

/**
 * All that an operator has decided, as data. Built once from the configuration; `grantCall` is the only reader.
 */
export interface Policy {
  /** SHA-256 over the canonical text of everything below, so that a record tells which policy spoke. */
  readonly digest: string;
  readonly tiers: Readonly<Record<Tier, TierCeiling>>;
  /** By skill id. A skill without a line has nothing that reaches outside its sandbox. */
  readonly grants: ReadonlyMap<string, Capabilities>;
  /** Wins over every grant. A network rule without a port denies all ports. */
  readonly deny: Capabilities;
  /** Bounds for every call, on top of the ceiling of its tier. */
  readonly limits: RequestedLimits;
}
