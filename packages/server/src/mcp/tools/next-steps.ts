import type { SkillErrorCode } from '@ambit/core';

/** What a model does next after a refusal, in its own tools; the message of a refusal names no transport. */
export const nextSteps: Partial<Record<SkillErrorCode, string>> = {
  WORKSPACE_NOT_FOUND: 'list_workspaces lists the workspaces of this key. create_workspace makes one.',
  WORKSPACE_FILE_NOT_FOUND: 'list_workspaces with the id of the workspace lists its files.',
  WORKSPACE_FULL: 'delete_from_workspace makes room.',
  WORKSPACE_LIMIT: 'list_workspaces lists them. delete_from_workspace deletes the ones you no longer need.',
};
