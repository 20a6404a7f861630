import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection, and the response to its latest request. */
interface Connection {
  socket: Socket;
  latest: ServerResponse | undefined;
}

/**
 * When the app closes, closes connections without a complete request head immediately: idle ones,
 * ones with half a head, unfinished TLS handshakes. The others are closed after their last
 * response. Node closes only connections that had a response, and stops its timeouts for the
 * others, which would block shutdown forever. Returns a function that does the same earlier, for a server that no longer listens.
 */
export function endIdleConnections(app: FastifyInstance, server: Server = app.server): () => void {
  const connections = new Map<string | Socket, Connection>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    const identity = identityOf(socket);
    // An open connection has unique addresses, so the known one is broken and its close event is
    // late.
    connections.get(identity)?.socket.destroy();
    const connection = { socket, latest: undefined };
    connections.set(identity, connection);
    socket.once('close', () => {
      if (connections.get(identity) === connection) connections.delete(identity);
    });
  });
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(identityOf(socket));
    if (connection !== undefined) connection.latest = response;
  });
  const endConnections = (): void => {
    for (const connection of connections.values()) closeAfterResponse(connection);
  };
  app.addHook('preClose', async () => {
    isClosing = true;
    endConnections();
  });
  return endConnections;
}

/** Responses are sent in the order of requests, so the latest is the last. */
function closeAfterResponse(connection: Connection): void {
  const { socket, latest } = connection;
  if (latest === undefined || latest.closed) socket.destroy();
  else
    latest.once('close', () => {
      if (connection.latest !== latest) closeAfterResponse(connection);
      else latest.req.socket.destroySoon();
    });
}

/**
 * Identifies a connection by its addresses; over TLS it has two sockets. One port may have several connections, to
 * different addresses. A Unix socket has no addresses, and no TLS.
 */
function identityOf(socket: Socket): string | Socket {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (localPort === undefined) return socket;
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
