import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A connection, and the answer to the latest request that has begun on it. */
interface Connection {
  socket: Socket;
  latest: ServerResponse | undefined;
}

/**
 * Ends connections when the app closes: at once those on which no whole head of a request is there to be answered, whether
 * nothing ever came, half a head, or a TLS handshake without end; each of the others with its last answer. Node ends only
 * those on which an answer has been given, and stops looking at the time of all others, so that one would keep a stop for ever.
 */
export function endIdleConnections(app: FastifyInstance): void {
  const connections = new Map<string, Connection>();
  let isClosing = false;

  app.server.on('connection', (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    const ends = endsOf(socket);
    // Two at one time have never the same: that one was broken off, and has not been seen to be.
    connections.get(ends)?.socket.destroy();
    const connection = { socket, latest: undefined };
    connections.set(ends, connection);
    socket.once('close', () => {
      if (connections.get(ends) === connection) connections.delete(ends);
    });
  });
  app.server.on('request', ({ socket }, response) => {
    const connection = connections.get(endsOf(socket));
    if (connection !== undefined) connection.latest = response;
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const connection of connections.values()) end(connection);
  });
}

/** Answers go out in the order of their requests: the latest is the last. */
function end(connection: Connection): void {
  const { socket, latest } = connection;
  if (latest === undefined || latest.closed) socket.destroy();
  else
    latest.once('close', () => {
      if (connection.latest !== latest) end(connection);
      else latest.req.socket.destroySoon();
    });
}

/** By which a connection over TLS, which has two sockets, is known as one. From one port there may be several, to several addresses. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
