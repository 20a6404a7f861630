import type { Catalog } from '@ambit/core';
import { type CallerInput, type ExecuteResult, executeSkill } from '@ambit/core/execute';
import type { RunEvent } from '@ambit/core/internal';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { logNotifier } from './log-notifier.ts';
import { progressNotifier } from './progress-notifier.ts';
import { requestSignal } from './request-signal.ts';
import type { ToolContext } from './tool-context.ts';

/** What a call of a skill takes from the arguments of its tool. */
export interface SkillCall {
  input: CallerInput;
  /** The id of the workspace that it runs in; absent: one of its own, for this run. */
  workspace?: string | undefined;
}

/**
 * One call of a skill, as every transport makes it. Ends when the request is canceled, its client is gone, its key is
 * revoked, or the program stops. A client that asked for progress hears at once, then every five seconds, and how far the skill says that it is; one
 * that asked for logging hears what the skill logs.
 */
export async function runTool(
  deps: McpDeps,
  caller: McpCaller,
  { skillId, input, workspace }: SkillCall & { skillId: string },
  ctx: ToolContext,
): Promise<ExecuteResult> {
  const { execute, newExecutionId, running, workspaces } = deps;
  const { actor, ceiling, sees } = caller;
  const signal = requestSignal(deps, caller, ctx);
  const log = logNotifier(skillId, ctx);
  const progress = progressNotifier(execute.now, skillId, ctx);
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'progress') progress.notify(event);
    else if (ctx.hearsLog && (event.kind === 'log' || event.kind === 'stderr')) log.add(event.text);
  };
  const request = {
    ...{ executionId: newExecutionId(), skillId, via: 'mcp' as const, actor, input, workspace },
    onEvent: ctx.hearsLog || progress.isHeard ? onEvent : undefined,
  };
  const call = executeSkill(
    { ...execute, ceiling, workspaces, catalog: seenCatalog(execute.catalog, sees) },
    request,
    signal,
  );
  running.add(call);
  try {
    return await call;
  } finally {
    running.delete(call);
    progress.end();
    log.end();
  }
}

/** A skill that the caller does not see is refused, and recorded, as one that is not there. */
function seenCatalog(catalog: Catalog, sees: McpCaller['sees']): Catalog {
  return {
    list: () => catalog.list(),
    broken: () => catalog.broken(),
    find: async (id) => (sees(id) ? catalog.find(id) : undefined),
  };
}
