import type { Environment } from '@ambit/runtime';
import type { McpConversation } from '../cli/ports/actions.ts';
import type { Config } from '../config/config.ts';
import { mcpStdio } from '../mcp/mcp-stdio.ts';
import type { McpStreams } from '../mcp/stdio-streams.ts';
import { prompts } from '../prompts/prompts.ts';
import { type OpenResources, openTogether } from '../setup/open-together.ts';
import { newId } from '../wire/new-id.ts';
import { firstKeyWorkspaces } from './first-key-workspaces.ts';
import { forwardToRunning } from './forward-mcp.ts';
import { openInProcess } from './open-in-process.ts';
import { reportFault } from './report-fault.ts';

/**
 * Serves MCP over the streams without a daemon on demand: forwards to the daemon that uses the data directory, or runs calls in
 * this process if there is none. Rejects with `DATA_DIR_TAKEN` if another command uses the directory.
 */
export async function serveMcpAlone(
  config: Config,
  environment: Environment,
  streams: McpStreams,
  version: string,
): Promise<McpConversation> {
  const forwarded = await forwardToRunning(config, environment, streams);
  return forwarded ?? openTogether((held) => serveInProcess(held, config, environment, streams, version));
}

async function serveInProcess(
  held: OpenResources,
  config: Config,
  environment: Environment,
  streams: McpStreams,
  version: string,
): Promise<McpConversation> {
  const { deps, machine, store, actor, close } = await openInProcess(config, environment, { lasts: true });
  held.defer(close);
  const shutdown = new AbortController();
  const fault = reportFault(environment);
  const running = new Set<Promise<unknown>>();
  const connection = mcpStdio(
    {
      execute: deps,
      version,
      newExecutionId: newId,
      running,
      shutdown: shutdown.signal,
      prompts: prompts({
        config,
        catalog: deps.catalog,
        contextRoots: 'anywhere',
        sandbox: async () => machine.process,
      }),
      untrustedTools: config.mcp.untrustedTools,
      workspaces: firstKeyWorkspaces(config, environment, {
        store,
        audit: deps.audit,
        ended: shutdown.signal,
      }),
      // A single client needs no memory limit.
      hold: () => () => undefined,
      onFault: fault,
    },
    { actor, sees: () => true, mayExecute: true, holds: () => true },
    streams,
    config.bodyLimitBytes,
  );
  held.defer(() => connection.close());
  held.defer(async () => void (await Promise.allSettled(running)));
  held.defer(() => shutdown.abort(new Error('the client disconnected')));
  return { ended: connection.ended, close: () => held.close() };
}
