import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** The streams to a client; nothing else may write to its `stdout`. */
export interface McpStreams {
  stdin: Readable;
  stdout: Writable;
}

/** MCP with one client over two streams. */
export interface McpConnection {
  /** Resolves when the client has disconnected. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * The transport over two streams. `ended` resolves when the client closed its end, stopped reading,
 * or sent a line that is too long.
 */
export function stdioTransport({ stdin, stdout }: McpStreams): {
  transport: StdioServerTransport;
  ended: Promise<void>;
} {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
  stdout.on('error', () => resolve());
  const transport = new StdioServerTransport(stdin, stdout);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    resolve();
    await close();
  };
  return { transport, ended };
}
