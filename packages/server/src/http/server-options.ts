import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/** What one client may take of a server without asking for anything. */
export interface ConnectionBounds {
  /** For the headers of a request to arrive, from its first byte or from the beginning of its connection. */
  headersMs: number;
  /** For a whole request to arrive; a skill may run for longer. */
  requestMs: number;
  /** For a client to take some more of an answer that is whole. */
  answerMs: number;
  /** Of the answers of one key that its clients have not taken; when there are more, it is given no other. */
  unreadBytesMax: number;
  /** Of one key that are not over yet; one more is refused. A single connection may send any number of requests ahead. */
  answersMax: number;
  /** For the next request on a connection that is kept. */
  keepAliveMs: number;
  /** How often it is looked at who is over his time. */
  checkMs: number;
  /** At one time; one more is closed at once. */
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

/** Those that were given, or what a daemon has. */
export function boundsOf({ bounds = defaultBounds }: { bounds?: ConnectionBounds }): ConnectionBounds {
  return bounds;
}

/** How Fastify is to make the server: with a certificate over TLS 1.2 or later. */
export function serverOptions(deps: {
  bounds?: ConnectionBounds;
  tls?: { cert: string; key: string };
}): object {
  const [bounds, { tls }] = [boundsOf(deps), deps];
  const server = {
    // What Node would answer by itself would leave no record.
    requireHostHeader: false,
    headersTimeout: bounds.headersMs,
    connectionsCheckingInterval: bounds.checkMs,
  };
  return {
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.keepAliveMs,
    ...(tls === undefined ? { http: server } : { https: { ...server, ...tls, minVersion: 'TLSv1.2' } }),
  };
}

/** Closes connections beyond the most there may be, and says so in the log, once until there is room again. */
export function limitConnections(
  server: Server,
  deps: { bounds?: ConnectionBounds; logger: FastifyBaseLogger },
): void {
  const [{ connectionsMax }, { logger }] = [boundsOf(deps), deps];
  let told = false;
  server.maxConnections = connectionsMax;
  server.on('drop', () => {
    if (!told) logger.warn({ connectionsMax }, 'too many connections: more are closed at once');
    told = true;
  });
  server.on('connection', () => {
    told = false;
  });
}
