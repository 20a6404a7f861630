import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { boundedMessages } from './bounded-messages.ts';

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
 * The transport over two streams. `ended` resolves when the client closed its end or stopped reading. A message of more than
 * `messageBytesMax` bytes is answered with an error, and the connection lives.
 */
export function stdioTransport(
  { stdin, stdout }: McpStreams,
  messageBytesMax: number,
): {
  transport: StdioServerTransport;
  ended: Promise<void>;
} {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
  stdout.on('error', () => resolve());
  const messages = boundedMessages(messageBytesMax, (bytes, id) => {
    const message = `the message has ${bytes} bytes, and the limit is ${messageBytesMax}, set by bodyLimitBytes. Nothing ran. Send a large file in parts, or ask the user to copy it with "ambit workspace put"`;
    const error = { code: ProtocolErrorCode.InvalidRequest, message, data: { code: 'BODY_TOO_LARGE' } };
    const refusal: JSONRPCMessage =
      id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
    transport.send(refusal).catch(() => undefined);
  });
  const transport = new StdioServerTransport(stdin.pipe(messages), stdout, {
    maxBufferSize: messageBytesMax + 1,
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    resolve();
    stdin.unpipe(messages);
    await close();
  };
  return { transport, ended };
}
