import type { SkillErrorCode } from '@ambit/core';

/**
 * The codes that can refuse a skill's call on any route. Listed explicitly, because other codes of core do
 * not apply to calls.
 */
export const callProblems = [
  'SKILL_NOT_FOUND',
  'SKILL_NOT_EXECUTABLE',
  'SKILL_INVALID',
  'SKILL_CHANGED',
  'SKILL_CYCLE',
  'INPUT_INVALID',
  'CAPABILITY_DENIED',
  'CAPABILITY_UNSUPPORTED',
  'SANDBOX_UNAVAILABLE',
  'PROGRAM_MISSING',
  'SECRET_UNAVAILABLE',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_BUSY',
  'OVERLOADED',
] as const satisfies readonly SkillErrorCode[];
