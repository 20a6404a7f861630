import type { JsonSchema, Run } from '@ambit/core/internal';
import { z } from 'zod';

/** The workspace that a call of a skill runs in. */
export const WorkspaceArgument = z
  .string()
  .max(200)
  .optional()
  .describe(
    'The id of a workspace (create_workspace) to run in. The run finds its files, and what it leaves stays there.',
  );

/**
 * Its name among arguments that are a skill's own input, in which `workspace` may be the skill's. Elsewhere it is called
 * `workspace`.
 */
export const reservedArgument = 'ambit_workspace';

/** Whether a skill can run in a workspace. */
export function takesWorkspace({ capabilities: { filesystem } }: Run): boolean {
  return filesystem.write.includes('workspace');
}

/** Whether the input of a skill has room for it: a skill that uses the name itself keeps it. */
export function hasReservedArgument(run: Run, input: JsonSchema): boolean {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  return takesWorkspace(run) && !Object.hasOwn((properties ?? {}) as object, reservedArgument);
}

/** The argument as JSON Schema. */
export function workspaceArgumentSchema(): object {
  const { $schema: _, ...schema } = z.toJSONSchema(WorkspaceArgument, { io: 'input' });
  return schema;
}
