import { type Policy, tierCeilings } from '@ambit/core';
import type { Config } from './config.ts';

/** What the operator's configuration decides, as core wants it. `sha256` gives hex. */
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

/** JSON with the keys of every object sorted, so that equal values have one text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
