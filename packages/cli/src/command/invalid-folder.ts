import { SkillError } from '@ambit/core';
import type { Config } from '@ambit/server/config';
import type { CommandContext } from './define-command.ts';

/** Notes the folder of an invalid skill for the hint, if the caller may list skills. A daemon at `--url` has folders of its own. */
export async function noteInvalidFolder(
  context: CommandContext,
  config: Config,
  error: unknown,
  skillId: string,
): Promise<void> {
  if (!(error instanceof SkillError) || error.code !== 'SKILL_INVALID' || config.daemon?.url !== undefined)
    return;
  const library = await context.actions.connectLibrary(config, { onlyRunning: true });
  const broken = await library.skills().then(
    (listed) => listed.broken,
    () => [],
  );
  const folder = broken.find(({ id }) => id === skillId)?.root;
  if (folder !== undefined) context.skillFolder = folder;
}
