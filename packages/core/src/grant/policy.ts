import type { Capabilities } from '../capability/capabilities.ts';
import type { RequestedLimits } from '../capability/limits.ts';
import type { Tier, TierCeiling } from '../capability/tier.ts';

/** The operator's decisions, built from the configuration. Only `grantCall` reads them. */
export interface Policy {
  /**
   * SHA-256 over the canonical JSON of the fields below. Records name it to identify the policy.
   */
  readonly digest: string;
  readonly tiers: Readonly<Record<Tier, TierCeiling>>;
  /** By skill id. A skill without an entry gets nothing outside its sandbox. */
  readonly grants: ReadonlyMap<string, Capabilities>;
  /** Wins over every grant. A network rule without a port denies all ports. */
  readonly deny: Capabilities;
  /** Bounds for every call, besides the limits of its tier. */
  readonly limits: RequestedLimits;
}
