import { z } from 'zod';

/** Path parameters of routes about one skill. */
export const SkillParams = z.strictObject({ id: z.string().describe("The skill's id.") });

/** The reasons why a skill of a catalog cannot be used. */
export const skillProblems = [
  'SKILL_NOT_FOUND',
  'SKILL_AMBIGUOUS',
  'SKILL_INVALID',
  'LOCK_MISMATCH',
  'SKILL_REVOKED',
] as const;
