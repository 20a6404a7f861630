import type { FastifyReply } from 'fastify';
import { ClientGone } from '../../problem/client-gone.ts';
import { whenClosed } from '../../stream/when-closed.ts';

/** Aborts when the client disconnects before its response, or the daemon stops. The first reason wins. */
export function callSignal(reply: FastifyReply, shutdown: AbortSignal): AbortSignal {
  return AbortSignal.any([clientSignal(reply), shutdown]);
}

/** Aborts when the client disconnects before its response. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // The request's stream closes once its body is read. Only the response's shows whether the client waits.
  whenClosed(reply, () => {
    if (!reply.raw.writableEnded) gone.abort(new ClientGone('the client went away'));
  });
  return gone.signal;
}
