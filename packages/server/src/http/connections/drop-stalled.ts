import { Socket } from 'node:net';
import { stalledMs } from '@ambit/api';
import type { FastifyReply } from 'fastify';
import { whenClosed } from './when-closed.ts';

/** `stalledMs` during shutdown, which waits for it. */
const stalledInStopMs = 1000;

/**
 * Closes the connection of a reader that reads nothing for `timeoutMs` while data is pending, or for a
 * second during shutdown. Having nothing to send is not a stall.
 */
export function dropStalled(reply: FastifyReply, shutdown: AbortSignal, timeoutMs = stalledMs): void {
  const { raw } = reply;
  const { socket } = raw;
  // An injected request has no socket and no reader.
  if (!(socket instanceof Socket) || raw.closed) return;
  const arm = (): void => {
    // Node's own timeout, which notices progress within one long write.
    raw.setTimeout(shutdown.aborted ? stalledInStopMs : timeoutMs);
  };
  raw.on('timeout', () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) raw.destroy();
    else arm();
  });
  shutdown.addEventListener('abort', arm);
  whenClosed(reply, () => shutdown.removeEventListener('abort', arm));
  arm();
}
