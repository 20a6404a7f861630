import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { boundedMessages } from './bounded-messages.ts';
import type { LargeMessage, ProtocolFault } from './request/large-message.ts';

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
 * `messageBytesMax` bytes is answered with the error that `refuse` returns once it has recorded the refusal, and the
 * connection lives. Later messages and the end of the input wait for that, and so does `close`. `refuse` never rejects.
 */
export function stdioTransport(
  { stdin, stdout }: McpStreams,
  messageBytesMax: number,
  refuse: (message: LargeMessage) => Promise<ProtocolFault>,
): {
  transport: StdioServerTransport;
  ended: Promise<void>;
} {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const answer = async (bytes: number, id: RequestId | undefined): Promise<void> => {
    const error = await refuse({ bytes, bytesMax: messageBytesMax });
    const refusal: JSONRPCMessage =
      id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
    await transport.send(refusal).catch(() => undefined);
  };
  let refusing: Promise<void> | undefined;
  const messages = boundedMessages(messageBytesMax, (bytes, id) => {
    refusing = answer(bytes, id);
    return refusing;
  });
  // A client that breaks off sends no end.
  for (const event of ['close', 'error']) stdin.once(event, () => messages.end());
  stdout.on('error', () => resolve());
  const transport = new StdioServerTransport(stdin.pipe(messages), stdout, {
    maxBufferSize: messageBytesMax + 1,
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    resolve();
    stdin.unpipe(messages);
    await close();
    await refusing;
  };
  return { transport, ended };
}
