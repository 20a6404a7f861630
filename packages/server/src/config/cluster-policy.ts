import { OperatorLimits, TierSettings } from '@ambit/core/policy';
import { describeIssues, SkillId } from '@ambit/core/skill';
import { z } from 'zod';
import type { ClusterPolicyRevision, Config, PolicySections } from './config.ts';
import { grantedCapabilities, operatorCapabilities } from './file/operator-capabilities.ts';

/**
 * The sections as a node publishes them, all of them. What a configuration cannot grant or set, a policy cannot either, so
 * each has the schemas of the configuration.
 */
const Sections = z.strictObject({
  grants: z.record(
    SkillId,
    grantedCapabilities('/').extend({
      limits: OperatorLimits.exactOptional(),
      host: z
        .never('a cluster cannot grant host: write it into the configuration of the machine')
        .exactOptional(),
    }),
  ),
  deny: operatorCapabilities('/'),
  limits: OperatorLimits,
  tiers: TierSettings,
  mcp: z.strictObject({ untrustedTools: z.boolean() }),
});

/** A verified revision of the policy, and who changed it. */
export interface PublishedPolicy extends ClusterPolicyRevision {
  actor: string;
  /** ISO 8601. */
  changedAt: string;
}

/** The sections of a configuration that a policy replaces. */
export function policySections({ grants, deny, limits, tiers, mcp }: PolicySections): PolicySections {
  return { grants, deny, limits, tiers, mcp };
}

/** The configuration under a revision of the policy, which replaces the revision before it. */
export function withPolicy(config: Config, { revision, sections }: ClusterPolicyRevision): Config {
  const own = config.clusterPolicy?.own ?? policySections(config);
  if (sections === null) return { ...config, ...own, clusterPolicy: { revision, own: null } };
  return { ...config, ...sections, clusterPolicy: { revision, own } };
}

/** A setting that differs; `undefined`: it is absent. */
export interface PolicyChange {
  key: string;
  before: unknown;
  after: unknown;
}

/** Lists the differences between two policies, by key. */
export function policyChanges(before: PolicySections, after: PolicySections): PolicyChange[] {
  const [old, now] = [settingsOf(before), settingsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, before: old.get(key), after: now.get(key) }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

function settingsOf({ grants, deny, limits, tiers, mcp }: PolicySections): Map<string, unknown> {
  const within = (group: string, values: object) =>
    Object.entries(values).map(([name, value]) => [`${group}.${name}`, value] as const);
  return new Map([
    ...within('grants', grants),
    ['deny', deny],
    ...within('limits', limits),
    ...within('tiers', tiers),
    ...within('mcp', mcp),
  ]);
}

/** The secrets that a policy names, and this configuration has no source for. */
export function missingSecrets({ grants }: PolicySections, { secrets }: Pick<Config, 'secrets'>): string[] {
  const named = Object.values(grants).flatMap((granted) => granted.secrets.map(({ name }) => name));
  return [...new Set(named)].filter((name) => !Object.hasOwn(secrets, name)).sort();
}

/** Parses the sections of a policy. Throws an `Error` that names each mistake, such as a field of a newer version. */
export function sectionsIn(value: unknown): PolicySections | null {
  if (value === null) return null;
  const parsed = Sections.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(describeIssues(parsed.error, Sections, value).join('; '));
}
