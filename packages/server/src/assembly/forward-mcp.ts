import { findDaemon } from '../audit/lock-data-dir.ts';
import type { McpConversation } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import type { Config } from '../config/config.ts';
import type { DaemonAccess } from '../mcp/bridge/forward-error.ts';
import { forwardStdio } from '../mcp/bridge/forward-stdio.ts';
import type { McpStreams } from '../mcp/stdio-streams.ts';
import { daemonKey, dataFiles } from './data-dir.ts';

/**
 * Speaks MCP over the streams through the daemon that has the data directory, with the key in `AMBIT_KEY`, or else that of
 * the first start. `undefined` when none has it. Rejects with `DATA_DIR_TAKEN` when what has it is no daemon.
 */
export async function forwardMcp(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  streams: McpStreams,
): Promise<McpConversation | undefined> {
  const found = await findDaemon(config.dataDir);
  if (!found.running) return undefined;
  if (found.address === null) throw taken();
  const given = environment['AMBIT_KEY'] || undefined;
  const find = async (): Promise<DaemonAccess | undefined> => {
    const daemon = await findDaemon(config.dataDir);
    if (!daemon.running || daemon.address === null) return undefined;
    return { url: daemon.address.url, key: given ?? (await daemonKey(dataFiles(config).key)) };
  };
  return forwardStdio(find, streams, (cause) => console.error(cause));
}

function taken(): CliError {
  return new CliError(
    'DATA_DIR_TAKEN',
    'another command holds the data directory, or a daemon that does not listen yet; try again in a moment. To have several agents at once, run "ambit serve": each "ambit mcp" goes through it then',
  );
}
