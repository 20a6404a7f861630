import type { Environment } from '@ambit/runtime';
import { daemonStatus } from '../../audit/lock-data-dir.ts';
import type { McpConversation } from '../../cli/actions/actions.ts';
import { CliError } from '../../cli/cli-error.ts';
import type { Config } from '../../config/config.ts';
import { forwardStdio } from '../../mcp/bridge/forward-stdio.ts';
import type { McpStreams } from '../../mcp/stdio-streams.ts';
import { daemonAccess } from './daemon-access.ts';
import { reportFault } from './report-fault.ts';

/**
 * Speaks MCP over the streams through the daemon that was named, or that has the data directory. `undefined` when there is
 * none. Rejects with `DATA_DIR_TAKEN` when what has it is no daemon.
 */
export async function forwardMcp(
  config: Config,
  environment: Environment,
  streams: McpStreams,
): Promise<McpConversation | undefined> {
  if (config.daemon?.url === undefined) {
    // Its key is asked for with each message: one that is not there now may be later.
    const found = await daemonStatus(config.dataDir);
    if (!found.running) return undefined;
    if (found.address === null) throw taken();
  }
  const find = async () => {
    const access = await daemonAccess(config, environment);
    return access === 'starting' ? undefined : access;
  };
  return forwardStdio(find, streams, reportFault(environment));
}

function taken(): CliError {
  return new CliError(
    'DATA_DIR_TAKEN',
    'another command holds the data directory, or a daemon that does not listen yet; try again in a moment. To have several agents at once, run "ambit serve": each "ambit mcp" goes through it then',
  );
}
