import { type FindDaemon, forwardStdio, type McpStreams } from '@ambit/server/mcp-bridge';
import { runningDaemon } from './daemon-access.ts';
import { reportFault } from './report-fault.ts';
import { daemonOf, type UsedBy } from './use-daemon.ts';

/** An MCP session with the client that started this process. */
interface McpConversation {
  /** Resolves when the client disconnects. */
  ended: Promise<void>;
  /** Cancels running calls and resolves when their records are closed. */
  close(): Promise<void>;
}

/**
 * Forwards MCP from the streams to the named daemon, or to the one that uses the data directory, which is started on demand,
 * also when it has ended meanwhile.
 */
export function forwardMcp(use: UsedBy, streams: McpStreams): McpConversation {
  const { config, environment } = use;
  const closed = new AbortController();
  const daemon = daemonOf({ ...use, signal: closed.signal });
  let finding: ReturnType<typeof daemon.find> | undefined;
  const find: FindDaemon = async (options) => {
    if (options?.onlyRunning === true) return runningDaemon(config, environment);
    // Messages that arrive meanwhile wait for the same start.
    finding ??= daemon.find().finally(() => {
      finding = undefined;
    });
    return finding;
  };
  const restarts = config.daemon?.url === undefined;
  const fault = reportFault(environment);
  const connection = forwardStdio(find, streams, fault, config.bodyLimitBytes, { restarts });
  return {
    ended: connection.ended,
    async close() {
      closed.abort(new Error('the client disconnected'));
      await connection.close();
      await daemon.close();
    },
  };
}
