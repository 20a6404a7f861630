import { v7 as uuidv7 } from 'uuid';
import { findDaemon } from '../audit/lock-data-dir.ts';
import type { McpConversation } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import type { Config } from '../config/config.ts';
import { type McpStreams, mcpStdio } from '../mcp/mcp-stdio.ts';
import { openInProcess } from './open-in-process.ts';
import { prompts } from './prompts.ts';

/**
 * Speaks MCP over the streams, with calls in this process, recorded like all. Rejects with `DATA_DIR_TAKEN` when a daemon
 * has the data directory: it speaks MCP itself.
 */
export async function serveMcp(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  streams: McpStreams,
  version: string,
): Promise<McpConversation> {
  const daemon = await findDaemon(config.dataDir);
  if (daemon.running) throw taken(daemon.address?.url);
  await using held = new AsyncDisposableStack();
  const { deps, machine, actor, close } = await openInProcess(config, environment, { lasts: true });
  held.defer(close);
  const shutdown = new AbortController();
  const running = new Set<Promise<unknown>>();
  const connection = mcpStdio(
    {
      ...{ execute: deps, version, newExecutionId: uuidv7, running, shutdown: shutdown.signal },
      prompts: prompts({
        ...{ config, catalog: deps.catalog, contextRoots: 'anywhere' },
        sandbox: async () => machine.process,
      }),
      onFault: (cause) => console.error(cause),
    },
    { actor, sees: () => true, mayExecute: true, holds: () => true },
    streams,
  );
  held.defer(() => connection.close());
  held.defer(async () => void (await Promise.allSettled(running)));
  held.defer(() => shutdown.abort(new Error('the client went away')));
  const open = held.move();
  return { ended: connection.ended, close: () => open.disposeAsync() };
}

function taken(url: string | undefined): CliError {
  return new CliError(
    'DATA_DIR_TAKEN',
    url === undefined
      ? 'another command holds the data directory; end it, or give this one its own with --data-dir'
      : `a daemon holds the data directory, and speaks MCP itself: connect to ${url}/mcp with its key, or give this one its own with --data-dir`,
  );
}
