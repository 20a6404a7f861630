import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import {
  aliasWarnings,
  type FoundSkills,
  limitWarnings,
  skillWarnings,
} from '../../config/skill-warnings.ts';
import { policyOf } from '../../setup/skill-service.ts';

/**
 * Logs folders and skills that the configuration names and that do not exist, aliases that are ignored, and limits that
 * skills do not get.
 */
export async function logSkillWarnings(config: Config, found: FoundSkills, logger: Logger): Promise<void> {
  const warnings = await skillWarnings(config, found);
  if (warnings.length > 0)
    logger.warn({ warnings }, 'the configuration names folders or skills that do not exist');
  const aliases = aliasWarnings(found.skills);
  if (aliases.length > 0) logger.warn({ warnings: aliases }, 'aliases of skills are ignored');
  const limits = limitWarnings(policyOf(config), found.skills);
  if (limits.length > 0) logger.warn({ warnings: limits }, 'skills run with less than they ask for');
}
