import type { Environment } from '@ambit/runtime';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import type { McpConversation } from '../cli/ports/actions.ts';
import type { Config } from '../config/config.ts';
import { Refusal } from '../errors/refusal.ts';
import type { FindDaemon } from '../mcp/bridge/forward-error.ts';
import { forwardStdio } from '../mcp/bridge/forward-stdio.ts';
import type { McpStreams } from '../mcp/stdio-streams.ts';
import { daemonStarter, type OnDemandStart } from '../on-demand/start-on-demand.ts';
import { daemonAccess, namedDaemon } from './daemon-access.ts';
import { reportFault } from './report-fault.ts';

/**
 * Forwards MCP from the streams to the named daemon, or to the one that uses the data directory, which is started on demand,
 * also when it has ended meanwhile.
 */
export function forwardMcp(start: OnDemandStart, streams: McpStreams): McpConversation {
  const { config, environment } = start;
  const closed = new AbortController();
  const ensureDaemon = daemonStarter({ ...start, signal: closed.signal });
  let starting: Promise<void> | undefined;
  const find: FindDaemon = async (options) => {
    const named = await namedDaemon(config, environment);
    if (named !== undefined) return named;
    if (options?.onlyRunning === true) return listening(config, environment);
    // Messages that arrive meanwhile wait for the same start.
    starting ??= ensureDaemon().finally(() => {
      starting = undefined;
    });
    await starting;
    return listening(config, environment);
  };
  const restarts = config.daemon?.url === undefined;
  const fault = reportFault(environment);
  const connection = forwardStdio(find, streams, fault, config.bodyLimitBytes, { restarts });
  return {
    ended: connection.ended,
    close() {
      closed.abort(new Error('the client disconnected'));
      return connection.close();
    },
  };
}

/**
 * Forwards to the same daemon, and starts none: `undefined` if none runs. Rejects with `DATA_DIR_TAKEN` if another command uses
 * the directory.
 */
export async function forwardToRunning(
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
  const find: FindDaemon = () => listening(config, environment);
  return forwardStdio(find, streams, reportFault(environment), config.bodyLimitBytes, { restarts: false });
}

async function listening(config: Config, environment: Environment): ReturnType<FindDaemon> {
  const access = await daemonAccess(config, environment);
  return access === 'starting' ? undefined : access;
}

function taken(): Refusal {
  return new Refusal(
    'DATA_DIR_TAKEN',
    'the data directory is in use by another command or by a daemon that does not listen yet; try again in a moment. To serve several agents at the same time, omit --no-daemon: they then share one daemon',
  );
}
