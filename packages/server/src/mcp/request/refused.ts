import { SkillError, type SkillErrorCode } from '@ambit/core';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

const requestCharactersMax = 200;
const messageCharactersMax = 4000;

/**
 * Writes the one record of a request that is refused before a skill is called. Returns the refusal
 * to answer with: the given one, or `AUDIT_UNAVAILABLE` if the log cannot be written.
 */
export async function recordRefused<Refused extends { code: string; message: string }>(
  deps: McpDeps,
  { actor }: McpCaller,
  request: string,
  refusal: Refused,
  executionId = deps.newExecutionId(),
): Promise<Refused | SkillError> {
  const { execute } = deps;
  // The log cannot record that it is unavailable.
  if (refusal.code === 'AUDIT_UNAVAILABLE') return refusal;
  try {
    await execute.audit.append({
      kind: 'request.denied',
      executionId,
      time: execute.now(),
      via: 'mcp',
      actor,
      request: request.slice(0, requestCharactersMax),
      code: refusal.code,
      message: refusal.message.slice(0, messageCharactersMax),
    });
    return refusal;
  } catch (error) {
    return refusalOf(deps, error);
  }
}

/**
 * The refusal for any error thrown while a request was handled. Unknown errors are `INTERNAL`, and
 * their cause is reported.
 */
export function refusalOf({ onFault }: Pick<McpDeps, 'onFault'>, error: unknown): SkillError {
  const refusal =
    error instanceof SkillError
      ? error
      : new SkillError(
          'INTERNAL',
          'Ambit failed because of a bug, not because of the request; its log has the cause',
          { cause: error },
        );
  if (refusal.code === 'INTERNAL') onFault(refusal.cause);
  return refusal;
}

/**
 * The next steps of a model after a refusal, with Ambit's tools. The message of a refusal is independent
 * of the transport.
 */
export const nextSteps: Partial<Record<SkillErrorCode, string>> = {
  SKILL_NOT_FOUND: 'list_skills lists the available skills.',
  WORKSPACE_NOT_FOUND: 'list_workspaces lists the workspaces of this key. create_workspace creates one.',
  WORKSPACE_FILE_NOT_FOUND: 'list_workspaces with the id of the workspace lists its files.',
  WORKSPACE_FULL: 'delete_from_workspace frees space.',
  WORKSPACE_LIMIT: 'list_workspaces lists them. delete_from_workspace deletes the ones you no longer need.',
};
