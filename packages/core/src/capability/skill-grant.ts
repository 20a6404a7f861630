import type { z } from 'zod';
import { Capabilities } from './capabilities.ts';
import { RequestedLimits } from './limits.ts';

/**
 * The operator's grant to a skill. Its limits replace the limits of the tier: each is the maximum, and what a call gets if
 * neither it nor its skill asks for another.
 */
export const SkillGrant = Capabilities.extend({ limits: RequestedLimits.exactOptional() });
export type SkillGrant = z.output<typeof SkillGrant>;
