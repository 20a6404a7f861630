import type { PayloadPolicy } from '@ambit/core/audit';
import type { AuditSettings } from './config.ts';

/** Returns the storage policy for a skill's payloads: the skill's own setting, or the general one. */
export function payloadPolicy(
  { payloads, skills, previewCharacters, fullBytes }: AuditSettings,
  skillId: string,
): PayloadPolicy {
  const own = Object.hasOwn(skills, skillId) ? skills[skillId] : undefined;
  return { payloads, previewCharacters, fullBytes, ...own };
}
