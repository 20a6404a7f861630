import { SkillError } from '@ambit/core';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

const requestCharactersMax = 200;
const messageCharactersMax = 4000;

/**
 * Writes the one record of a request that is refused before any skill is called, and hands back the refusal to answer
 * with: the same, or `AUDIT_UNAVAILABLE` when the log cannot take it.
 */
export async function recordRefused<Refused extends { code: string; message: string }>(
  deps: McpDeps,
  { actor }: McpCaller,
  request: string,
  refusal: Refused,
): Promise<Refused | SkillError> {
  const { execute, newExecutionId } = deps;
  // A log that is gone cannot take the news that it is gone.
  if (refusal.code === 'AUDIT_UNAVAILABLE') return refusal;
  try {
    await execute.audit.append({
      kind: 'request.denied',
      executionId: newExecutionId(),
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

/** Whatever was thrown while a request was handled. What nobody foresaw is `INTERNAL`, and its cause is reported. */
export function refusalOf({ onFault }: Pick<McpDeps, 'onFault'>, error: unknown): SkillError {
  const refusal =
    error instanceof SkillError
      ? error
      : new SkillError('INTERNAL', 'Ambit failed, not the request; its log has the cause', { cause: error });
  if (refusal.code === 'INTERNAL') onFault(refusal.cause);
  return refusal;
}
