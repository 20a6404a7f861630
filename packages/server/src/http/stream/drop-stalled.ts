import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { whenClosed } from './when-closed.ts';

/** Whoever has not read for so long is not there any more. */
export const stalledMs = 30_000;
/** The same during a stop, which waits for it. */
const stalledInStopMs = 1000;

/**
 * Breaks the connection of a reader that takes nothing for `mostMs` of what is sent, to the last byte of it, or for a
 * second during a stop. Sending nothing is no stall.
 */
export function dropStalled(reply: FastifyReply, shutdown: AbortSignal, mostMs = stalledMs): void {
  const { raw } = reply;
  const { socket } = raw;
  // One that came over no connection has no reader.
  if (!(socket instanceof Socket) || raw.closed) return;
  const arm = (): void => {
    // Node's own, which sees how much of one long write the system has taken.
    raw.setTimeout(shutdown.aborted ? stalledInStopMs : mostMs);
  };
  raw.on('timeout', () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) raw.destroy();
    else arm();
  });
  shutdown.addEventListener('abort', arm);
  whenClosed(reply, () => shutdown.removeEventListener('abort', arm));
  arm();
}
