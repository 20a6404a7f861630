import type { Environment } from '@ambit/runtime';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { McpConversation } from '../cli/ports/actions.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import { forwardStdio } from '../mcp/bridge/forward-stdio.ts';
import type { McpStreams } from '../mcp/stdio-streams.ts';
import { daemonAccess } from './daemon-access.ts';
import { reportFault } from './report-fault.ts';

/**
 * Forwards MCP from the streams to the named daemon, or to the one that uses the data directory. `undefined` if there is none.
 * Rejects with `DATA_DIR_TAKEN` if another command uses the directory.
 */
export async function forwardMcp(
  config: Config,
  environment: Environment,
  streams: McpStreams,
): Promise<McpConversation | undefined> {
  if (config.daemon?.url === undefined) {
    // The key is read for each message, so it may be created later.
    const found = await daemonStatus(config.dataDir);
    if (!found.running) return undefined;
    if (found.address === null) throw taken();
  }
  const find = async () => {
    const access = await daemonAccess(config, environment);
    return access === 'starting' ? undefined : access;
  };
  return forwardStdio(find, streams, reportFault(environment), config.bodyLimitBytes);
}

function taken(): Refusal {
  return new Refusal(
    'DATA_DIR_TAKEN',
    'the data directory is in use by another command or by a daemon that does not listen yet; try again in a moment. To serve several agents at the same time, run ambit serve: each ambit mcp then forwards to it',
  );
}
