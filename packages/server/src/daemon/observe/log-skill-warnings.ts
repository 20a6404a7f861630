import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { aliasWarnings, type FoundSkills, skillWarnings } from '../../config/skill-warnings.ts';

/** Logs folders and skills that the configuration names and that do not exist, and aliases that are ignored. */
export async function logSkillWarnings(config: Config, found: FoundSkills, logger: Logger): Promise<void> {
  const warnings = await skillWarnings(config, found);
  if (warnings.length > 0)
    logger.warn({ warnings }, 'the configuration names folders or skills that do not exist');
  const aliases = aliasWarnings(found.skills);
  if (aliases.length > 0) logger.warn({ warnings: aliases }, 'aliases of skills are ignored');
}
