import type { Readable, Writable } from 'node:stream';

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

/** Resolves when the client has closed its end, or reads no more. */
export function clientGone({ stdin, stdout }: McpStreams): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
    stdout.on('error', () => resolve());
  });
}
