import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/** Limits on the time, memory and connections that clients may use. */
export interface ConnectionBounds {
  /** For the headers of a request to arrive, from its first byte or the start of its connection. */
  headersMs: number;
  /** For a whole request to arrive; a skill may run longer. */
  requestMs: number;
  /** For a client to read more of a complete response. */
  answerMs: number;
  /** Unread response bytes per key; beyond it, its requests are refused. */
  unreadBytesMax: number;
  /**
   * Unfinished responses per key; beyond it, its requests are refused. One connection may pipeline
   * any number of requests.
   */
  answersMax: number;
  /** For the next request on a kept-alive connection. */
  keepAliveMs: number;
  /** The interval at which the timeouts above are checked. */
  checkMs: number;
  /** Open connections; further ones are closed immediately. */
  connectionsMax: number;
}

const defaultBounds: ConnectionBounds = {
  headersMs: 15_000,
  requestMs: 60_000,
  answerMs: 60_000,
  unreadBytesMax: 128 * 1024 * 1024,
  answersMax: 8_192,
  keepAliveMs: 72_000,
  checkMs: 5_000,
  connectionsMax: 8_192,
};

/**
 * Connections that wait until the daemon accepts them. Node's default is 511. The kernel drops more than that while the
 * daemon is busy, and their clients try again only after seconds.
 */
export const backlog = 4096;

/** The given bounds, or the daemon's defaults. */
export function boundsOf({ bounds = defaultBounds }: { bounds?: ConnectionBounds }): ConnectionBounds {
  return bounds;
}

/** Fastify's options for the server; with a certificate it uses TLS 1.2 or later. */
export function serverOptions(deps: {
  bounds?: ConnectionBounds;
  tls?: { cert: string; key: string } | undefined;
}): object {
  const { requestTimeout, keepAliveTimeout, ...server } = plainServerOptions(deps);
  const { tls } = deps;
  if (tls === undefined) return { requestTimeout, keepAliveTimeout, http: server };
  return { requestTimeout, keepAliveTimeout, https: { ...server, ...tls, minVersion: 'TLSv1.2' } };
}

/** The same bounds for a server of `node:http`. */
export function plainServerOptions(deps: { bounds?: ConnectionBounds }) {
  const bounds = boundsOf(deps);
  return {
    // A response that Node sends itself would leave no record.
    requireHostHeader: false,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.keepAliveMs,
    connectionsCheckingInterval: bounds.checkMs,
  };
}

/** Closes connections beyond the maximum. Logs a warning once, and again after there was room. */
export function limitConnections(
  server: Server,
  deps: { bounds?: ConnectionBounds; logger: FastifyBaseLogger },
): void {
  const [{ connectionsMax }, { logger }] = [boundsOf(deps), deps];
  let warned = false;
  server.maxConnections = connectionsMax;
  server.on('drop', () => {
    if (!warned) logger.warn({ connectionsMax }, 'too many connections; closing new ones');
    warned = true;
  });
  server.on('connection', () => {
    warned = false;
  });
}
