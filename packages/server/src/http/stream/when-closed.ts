import type { FastifyReply } from 'fastify';

/**
 * Calls `task` once, when an answer is done with: it has been sent, or its client has gone. At once where that is so
 * already, as after a wait: of an answer that is closed nothing more is told.
 */
export function whenClosed({ raw }: Pick<FastifyReply, 'raw'>, task: () => void): void {
  if (raw.closed) task();
  else raw.once('close', task);
}
