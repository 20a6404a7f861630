import type { FastifyReply } from 'fastify';

/**
 * Calls `task` once when a response has been sent or its client has disconnected; immediately if
 * that has happened already, because a closed response emits no further event.
 */
export function whenClosed({ raw }: Pick<FastifyReply, 'raw'>, task: () => void): void {
  if (raw.closed) task();
  else raw.once('close', task);
}

/** Aborts when the client disconnects before its response, or when the daemon stops; the first reason wins. */
export function callSignal(reply: FastifyReply, shutdown: AbortSignal): AbortSignal {
  return AbortSignal.any([clientSignal(reply), shutdown]);
}

/** Aborts with `ClientGone` when the client disconnects before its response. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // The stream of the request closes when its body has been read; only the response shows whether a client waits.
  whenClosed(reply, () => {
    if (!reply.raw.writableEnded) gone.abort(new ClientGone('the client went away'));
  });
  return gone.signal;
}

/**
 * The client disconnected, so its work was dropped. It is not a refusal, and no response is sent.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
