import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Where a client is connected; nothing else may be written to its `stdout`. */
export interface McpStreams {
  stdin: Readable;
  stdout: Writable;
}

/** MCP with one client over a pair of streams. */
export interface McpConnection {
  /** Resolves when the client is gone. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * The transport over a pair of streams. `ended` resolves when the client has closed its end, reads no more, or sent
 * something that cannot be gone on after: an endless line.
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
