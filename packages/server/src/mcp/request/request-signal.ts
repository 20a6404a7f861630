import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from './mcp-deps.ts';

/** The context of a `tools/call`. */
export interface ToolContext extends ServerContext {
  /** Whether the client asked for skills' logs. */
  wantsLog: boolean;
  /** The id of the call's record. */
  executionId: string;
}

/**
 * Aborts when the request is canceled, its client disconnects, its key is revoked, the node's lease
 * ends, or the program shuts down.
 */
export function requestSignal(
  { shutdown, lease }: Pick<McpDeps, 'shutdown' | 'lease'>,
  { revoked }: Pick<McpCaller, 'revoked'>,
  { mcpReq, http }: ToolContext,
): AbortSignal {
  const also = [http?.req?.signal, revoked, lease].filter((each) => each !== undefined);
  return AbortSignal.any([mcpReq.signal, shutdown, ...also]);
}
