import { type CallerInput, type Catalog, type ExecuteResult, executeSkill, type RunEvent } from '@ambit/core';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { toldLog } from './told-log.ts';
import { toldProgress } from './told-progress.ts';
import type { ToolContext } from './tool-context.ts';

/**
 * One call of a skill, as every door makes it. Ends when the request is canceled, its client is gone, its key is
 * revoked, or the program stops. A client that asked for progress hears at once, then every five seconds, and how far the skill says that it is; one
 * that asked for logging hears what the skill logs.
 */
export async function runTool(
  { execute, newExecutionId, running, shutdown }: McpDeps,
  { actor, ceiling, sees, revoked }: McpCaller,
  { skillId, input }: { skillId: string; input: CallerInput },
  ctx: ToolContext,
): Promise<ExecuteResult> {
  const gone = ctx.http?.req?.signal;
  const also = [gone, revoked].filter((each) => each !== undefined);
  const signal = AbortSignal.any([ctx.mcpReq.signal, shutdown, ...also]);
  const log = toldLog(skillId, ctx);
  const progress = toldProgress(execute.now, skillId, ctx);
  const watch = (event: RunEvent): void => {
    if (event.kind === 'progress') progress.tell(event);
    else if (ctx.hearsLog && (event.kind === 'log' || event.kind === 'stderr')) log.add(event.text);
  };
  const request = {
    ...{ executionId: newExecutionId(), skillId, door: 'mcp' as const, actor, input },
    watch: ctx.hearsLog || progress.isHeard ? watch : undefined,
  };
  const call = executeSkill(
    { ...execute, ceiling, catalog: seenCatalog(execute.catalog, sees) },
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
