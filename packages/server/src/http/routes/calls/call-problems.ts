import type { SkillErrorCode } from '@ambit/core';

/**
 * With what a call of a skill can be refused, whichever route it comes by. Written out: another code of core's is not a call's
 * by itself.
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
