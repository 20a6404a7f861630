import type { PayloadPolicy } from '@ambit/core/internal';
import type { AuditSettings } from '../../config/config.ts';

/** How much is kept of a skill's payloads: what is said for it, or else what is said for all. */
export function payloadPolicy(
  { payloads, skills, previewCharacters, fullBytes }: AuditSettings,
  skillId: string,
): PayloadPolicy {
  const own = Object.hasOwn(skills, skillId) ? skills[skillId] : undefined;
  return { payloads, previewCharacters, fullBytes, ...own };
}
