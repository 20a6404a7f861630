import { type AmbitClient, AmbitProblem } from '@ambit/client';
import type { Config } from '@ambit/server/config';
import { allSkills } from './all-skills.ts';
import type { CommandContext } from './define-command.ts';

/** Notes the folder of an invalid skill for the hint, if the caller may list skills. A daemon at `--url` has folders of its own. */
export async function noteInvalidFolder(
  context: Pick<CommandContext, 'skillFolder'>,
  config: Config,
  client: AmbitClient,
  error: unknown,
  skillId: string,
): Promise<void> {
  if (!(error instanceof AmbitProblem) || error.code !== 'SKILL_INVALID' || config.daemon?.url !== undefined)
    return;
  const broken = await allSkills(client).then(
    (listed) => listed.broken,
    () => [],
  );
  const folder = broken.find(({ id }) => id === skillId)?.root;
  if (folder !== undefined) context.skillFolder = folder;
}
