import { SkillError } from '@ambit/core';
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
