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
  const gone = new AbortController();
  whenGone(reply, (reason) => gone.abort(reason));
  return AbortSignal.any([gone.signal, shutdown]);
}

/** Calls `abort` with `ClientGone` when the client disconnects before its response. */
export function whenGone(reply: FastifyReply, abort: (reason: ClientGone) => void): void {
  // The stream of the request closes when its body has been read; only the response shows whether a client waits.
  whenClosed(reply, () => {
    if (!reply.raw.writableEnded) abort(new ClientGone('the client went away'));
  });
}

/**
 * The client disconnected, so its work was dropped. It is not a refusal, and no response is sent.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
