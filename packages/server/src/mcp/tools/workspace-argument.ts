import type { JsonSchema } from '@ambit/core/json';
import type { Run } from '@ambit/core/skill';
import { z } from 'zod';

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

/** Whether a skill can run in a workspace. */
export function takesWorkspace({ capabilities: { filesystem } }: Run): boolean {
  return filesystem.write.includes('workspace');
}

/** Whether the name is free in the skill's input: a skill that uses the name keeps it. */
export function hasReservedArgument(run: Run, input: JsonSchema): boolean {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  return takesWorkspace(run) && !Object.hasOwn((properties ?? {}) as object, reservedArgument);
}

/** The argument as JSON Schema. */
export function workspaceArgumentSchema(): object {
  const { $schema: _, ...schema } = z.toJSONSchema(WorkspaceArgument, { io: 'input' });
  return schema;
}
