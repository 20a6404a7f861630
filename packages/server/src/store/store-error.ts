import { SkillError } from '@ambit/core';

/** The refusal of a call that needs the store. `why` says what is wrong with it, and what to do. */
export function storeError(place: string, why: string, cause?: unknown): SkillError {
  return new SkillError('STORE_UNAVAILABLE', `the store ${place} cannot be used: ${why}`, { cause });
}
