import type { FastifyReply } from 'fastify';
import { ClientGone } from '../../problem/client-gone.ts';
import { whenClosed } from '../../stream/when-closed.ts';

/** Aborts when the client is gone before it was answered, or the daemon stops; the first reason wins. */
export function callSignal(reply: FastifyReply, shutdown: AbortSignal): AbortSignal {
  return AbortSignal.any([clientSignal(reply), shutdown]);
}

/** Aborts when the client is gone before it was answered. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // The request's own stream closes whenever its body has been read; only the answer's tells whether anybody waits.
  whenClosed(reply, () => {
    if (!reply.raw.writableEnded) gone.abort(new ClientGone('the client went away'));
  });
  return gone.signal;
}
