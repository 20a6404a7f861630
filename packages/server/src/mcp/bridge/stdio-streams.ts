import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { LargeMessage, ProtocolFault } from '../large-message.ts';
import { boundedMessages } from './bounded-messages.ts';
import { readMessage } from './message.ts';

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

interface StdioOptions {
  /** The size of the largest message. */
  messageBytesMax: number;
  onMessage(message: JSONRPCMessage): void;
  /** Called for JSON that is no message. Other lines are ignored. */
  onFault(cause: unknown): void;
  /** Resolves to the error that answers a larger message, once the refusal is recorded. Never rejects. */
  refuse(message: LargeMessage): Promise<ProtocolFault>;
}

/**
 * Reads a message from each line of stdin, and writes one as a line of stdout. `ended` resolves when the client closed its end or
 * stopped reading. After a message that is too large the connection lives: later messages and the end of the input wait for its
 * refusal, and so does `close`.
 */
export function stdioMessages(
  { stdin, stdout }: McpStreams,
  { messageBytesMax, onMessage, onFault, refuse }: StdioOptions,
): McpConnection & { send(message: JSONRPCMessage): Promise<void> } {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // A client that no longer reads gets no more.
  const send = (message: JSONRPCMessage): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    stdout.write(`${JSON.stringify(message)}\n`, () => resolve());
    return promise;
  };
  const answer = async (bytes: number, id: RequestId | undefined): Promise<void> => {
    const error = await refuse({ bytes, bytesMax: messageBytesMax });
    await send(id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error });
  };
  let refusing: Promise<void> | undefined;
  const lines = boundedMessages(messageBytesMax, (bytes, id) => {
    refusing = answer(bytes, id);
    return refusing;
  });
  lines.on('data', (line: Buffer) => {
    // Without its newline, a message has not arrived.
    if (line.at(-1) !== newline) return;
    try {
      onMessage(readMessage(line.toString()));
    } catch (error) {
      if (!(error instanceof SyntaxError)) onFault(error);
    }
  });
  lines.on('end', end);
  // A client that breaks off sends no end.
  for (const event of ['close', 'error']) stdin.once(event, () => lines.end());
  stdout.on('error', () => end());
  stdin.pipe(lines);
  return {
    ended,
    send,
    async close() {
      end();
      stdin.unpipe(lines);
      stdin.pause();
      await refusing;
    },
  };
}

const newline = 0x0a;
