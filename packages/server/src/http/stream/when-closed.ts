import type { FastifyReply } from 'fastify';

/**
 * Calls `task` once when a response has been sent or its client has disconnected; immediately if
 * that has happened already, because a closed response emits no further event.
 */
export function whenClosed({ raw }: Pick<FastifyReply, 'raw'>, task: () => void): void {
  if (raw.closed) task();
  else raw.once('close', task);
}
