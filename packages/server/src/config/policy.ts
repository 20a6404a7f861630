import type { Policy } from '@ambit/core/execute';
import { canonicalJson, type PayloadPolicy, tierCeilings } from '@ambit/core/internal';
import type { AuditSettings, Config } from './config.ts';

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

/** How much of a skill's payloads is stored: the skill's own setting, or the general one. */
export function payloadPolicy(
  { payloads, skills, previewCharacters, fullBytes }: AuditSettings,
  skillId: string,
): PayloadPolicy {
  const own = Object.hasOwn(skills, skillId) ? skills[skillId] : undefined;
  return { payloads, previewCharacters, fullBytes, ...own };
}
