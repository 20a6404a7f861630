import { type CallerInput, type Catalog, type ExecuteResult, executeSkill } from '@ambit/core';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';

/** How often a client that asked for progress is told that the call runs. */
const beatMs = 5000;

/**
 * One call of a skill, as every door makes it. Ends when the request is canceled, its client is gone, or the program
 * stops. A client that asked for progress hears at once and then every five seconds for how many seconds it has run.
 */
export async function runTool(
  { execute, newExecutionId, running, shutdown }: McpDeps,
  { actor, ceiling, sees }: McpCaller,
  { skillId, input }: { skillId: string; input: CallerInput },
  ctx: ServerContext,
): Promise<ExecuteResult> {
  const gone = ctx.http?.req?.signal;
  const signal = AbortSignal.any([ctx.mcpReq.signal, shutdown, ...(gone === undefined ? [] : [gone])]);
  const request = {
    ...{ executionId: newExecutionId(), skillId, door: 'mcp' as const, actor, input },
  };
  using _beat = progress(execute.now, skillId, ctx);
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

function progress(now: () => number, skillId: string, { mcpReq }: ServerContext): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { [Symbol.dispose]: () => undefined };
  const startedAt = now();
  const tell = (message: string): void => {
    const seconds = Math.round((now() - startedAt) / 1000);
    void mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress: seconds, message } })
      // Nobody listens any more; the call itself learns that from its signal.
      .catch(() => undefined);
  };
  tell(`${skillId} was called`);
  const timer = setInterval(() => tell(`${skillId} runs`), beatMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
