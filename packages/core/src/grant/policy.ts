import type { z } from 'zod';
import { Capabilities } from '../capability/capabilities.ts';
import type { RequestedLimits } from '../capability/limits.ts';
import { SkillGrant } from '../capability/skill-grant.ts';
import { type Tier, type TierCeiling, type TierSettings, tiersWith } from '../capability/tier.ts';
import { canonicalJson } from '../json/canonical-json.ts';

/** The operator's decisions, built from the configuration. Only `grantCall` reads them. */
export interface Policy {
  /**
   * SHA-256 over the canonical JSON of the decisions below. Records name it to identify the policy.
   */
  readonly digest: string;
  readonly tiers: Readonly<Record<Tier, TierCeiling>>;
  /** By skill id. A skill without an entry gets nothing outside its sandbox. */
  readonly grants: ReadonlyMap<string, SkillGrant>;
  /** Wins over every grant. A network rule without a port denies all ports. */
  readonly deny: Capabilities;
  /** Bounds for every call, besides the limits of its tier. */
  readonly limits: RequestedLimits;
  /**
   * The memory that all runs of this machine share, which is no decision: no call has more by default. Absent: unknown.
   */
  readonly memoryShareBytes?: number | undefined;
}

/** The operator's settings. Absent: nothing is granted, denied or limited. */
export interface PolicySettings {
  /** By skill id. */
  grants?: Readonly<Record<string, z.input<typeof SkillGrant>>>;
  deny?: z.input<typeof Capabilities>;
  limits?: RequestedLimits;
  /** The limits of programs, by tier. */
  tiers?: TierSettings;
  memoryShareBytes?: number;
}

/**
 * The policy of an operator, with what each tier allows at most. `sha256` returns hex. Throws a `ZodError` for a capability
 * that is not one.
 */
export function policyFrom(
  { grants = {}, deny = {}, limits = {}, tiers = {}, memoryShareBytes }: PolicySettings,
  sha256: (content: Uint8Array) => string,
): Policy {
  const entries = Object.entries(grants).map(([id, grant]) => [id, SkillGrant.parse(grant)] as const);
  const content = { tiers: tiersWith(tiers), deny: Capabilities.parse(deny), limits };
  const text = canonicalJson({ ...content, grants: Object.fromEntries(entries) });
  const digest = `sha256:${sha256(new TextEncoder().encode(text))}`;
  return { ...content, digest, grants: new Map(entries), memoryShareBytes };
}
