import type { Environment } from '@ambit/runtime';
import { type FindDaemon, forwardStdio, type McpStreams } from '@ambit/server/mcp-bridge';
import { printableLine } from '../output/printable.ts';
import { runningDaemon } from './daemon-access.ts';
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

/** The length limit of a printed error, which may quote a client. */
const charactersMax = 300;

/** Prints an internal error to stderr as one line; with `AMBIT_DEBUG` with its stack. */
function reportFault(environment: Environment): (cause: unknown) => void {
  return (cause) => {
    const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
    const text = printableLine(`${name}: ${message}`);
    const line = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
    process.stderr.write(`ambit: ${environment['AMBIT_DEBUG'] ? (stack ?? line) : line}\n`);
  };
}
