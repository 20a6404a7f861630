import type { Environment } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import { firstKeyActor } from '../../auth/key-record.ts';
import type { McpConversation } from '../../cli/actions/actions.ts';
import type { Config } from '../../config/config.ts';
import { mcpStdio } from '../../mcp/mcp-stdio.ts';
import type { McpStreams } from '../../mcp/stdio-streams.ts';
import { lastingWorkspaces, workspacesOf } from '../lasting-workspaces.ts';
import { type Opened, openedTogether } from '../opened-together.ts';
import { prompts } from '../prompts.ts';
import { forwardMcp } from './forward-mcp.ts';
import { openInProcess } from './open-in-process.ts';
import { reportFault } from './report-fault.ts';

/**
 * Speaks MCP over the streams: through the daemon that has the data directory, and where there is none with calls in this
 * process, recorded like all. Rejects with `DATA_DIR_TAKEN` when something else has it.
 */
export async function serveMcp(
  config: Config,
  environment: Environment,
  streams: McpStreams,
  version: string,
): Promise<McpConversation> {
  const forwarded = await forwardMcp(config, environment, streams);
  return forwarded ?? openedTogether((held) => serveHere(held, config, environment, streams, version));
}

async function serveHere(
  held: Opened,
  config: Config,
  environment: Environment,
  streams: McpStreams,
  version: string,
): Promise<McpConversation> {
  const { deps, machine, actor, close } = await openInProcess(config, environment, { lasts: true });
  held.defer(close);
  const shutdown = new AbortController();
  const fault = reportFault(environment);
  const tell = ({ err }: { err: unknown }, message: string) => fault(new Error(`${message}: ${String(err)}`));
  const workspaces = await lastingWorkspaces({
    ...{ dataDir: config.dataDir, settings: () => config.workspaces, audit: deps.audit },
    logger: { warn: tell, error: tell },
    ended: shutdown.signal,
  });
  const running = new Set<Promise<unknown>>();
  const connection = mcpStdio(
    {
      ...{ execute: deps, version, newExecutionId: uuidv7, running, shutdown: shutdown.signal },
      prompts: prompts({
        ...{ config, catalog: deps.catalog, contextRoots: 'anywhere' },
        sandbox: async () => machine.process,
      }),
      untrustedTools: config.mcp.untrustedTools,
      // Whoever has the data directory has its first key. A daemon that is asked with that key finds the same workspaces.
      workspaces: workspacesOf(workspaces, firstKeyActor),
      // One client holds what it asks for itself.
      hold: () => () => undefined,
      onFault: fault,
    },
    { actor, sees: () => true, mayExecute: true, holds: () => true },
    streams,
  );
  held.defer(() => connection.close());
  held.defer(async () => void (await Promise.allSettled(running)));
  held.defer(() => shutdown.abort(new Error('the client went away')));
  return { ended: connection.ended, close: () => held.close() };
}
