import type { SkillErrorCode } from '@ambit/core';

/**
 * What a model can do after a refusal, with Ambit's tools. The message of a refusal is independent
 * of the transport.
 */
export const nextSteps: Partial<Record<SkillErrorCode, string>> = {
  WORKSPACE_NOT_FOUND: 'list_workspaces lists the workspaces of this key. create_workspace creates one.',
  WORKSPACE_FILE_NOT_FOUND: 'list_workspaces with the id of the workspace lists its files.',
  WORKSPACE_FULL: 'delete_from_workspace frees space.',
  WORKSPACE_LIMIT: 'list_workspaces lists them. delete_from_workspace deletes the ones you no longer need.',
};
