import type { Run } from '@ambit/core/skill';
import { z } from 'zod';
import type { SkillTool } from '../../wire/tool/skill-tool.ts';

/** The workspace in which a skill runs. */
export const WorkspaceArgument = z
  .string()
  .max(200)
  .optional()
  .describe(
    'The id of the workspace (see create_workspace) to run in. The run can use its files, and its changes are stored there.',
  );

/**
 * The argument's name among a skill's own input properties, where `workspace` may be the skill's.
 * Elsewhere it is `workspace`.
 */
export const reservedArgument = 'ambit_workspace';

/**
 * The argument's name in a skill's tool; `undefined`: it has none, because the run takes no workspace or the skill uses
 * the name.
 */
export function workspaceArgumentOf(
  { takes, inputSchema: { properties = {} } }: SkillTool,
  { capabilities: { filesystem } }: Run,
): string | undefined {
  if (!filesystem.write.includes('workspace')) return undefined;
  if (takes !== 'input') return 'workspace';
  return Object.hasOwn(properties, reservedArgument) ? undefined : reservedArgument;
}
