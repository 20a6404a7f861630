import type { Policy } from '@ambit/core/execute';
import { canonicalJson, tierCeilings } from '@ambit/core/internal';
import type { Config } from './config.ts';

/** The policy of core from the configuration. `sha256` returns hex. */
export function policyFrom(
  { grants, deny, limits }: Pick<Config, 'grants' | 'deny' | 'limits'>,
  sha256: (text: string) => string,
): Policy {
  const content = { tiers: tierCeilings, grants, deny, limits };
  return {
    ...content,
    digest: `sha256:${sha256(canonicalJson(content))}`,
    grants: new Map(Object.entries(grants)),
  };
}
