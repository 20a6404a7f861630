import type { Server, Socket } from 'node:net';

/** The connections of one sandbox to its proxy. */
export interface Connections {
  /** Passes each waiting and new connection to `take`. Connections have only an error listener. */
  serve(take: (connection: Socket) => void): void;
  /** Closes all connections and accepts no more. */
  close(): void;
}

/**
 * Accepts connections as soon as the listener is known. At maxOpen `maxOpen` are open at a time,
 * including waiting ones; others are closed immediately. Either side may end its half of a
 * connection first.
 */
export function connectionsOf(listener: Promise<Server | undefined>, maxOpen: number): Connections {
  const open = new Set<Socket>();
  let onConnection: ((connection: Socket) => void) | undefined;
  let server: Server | undefined;
  let closed = false;
  const accept = (connection: Socket): void => {
    if (open.size >= maxOpen) return void connection.destroy();
    connection.once('close', () => open.delete(connection));
    // An error closes the connection; nothing may be listening for it yet.
    connection.on('error', () => undefined);
    open.add(connection);
    onConnection?.(connection);
  };
  const close = (): void => {
    closed = true;
    server?.close();
    for (const connection of open) connection.destroy();
  };
  void listener.then((received) => {
    if (received === undefined) return;
    server = received;
    // One direction of a tunnel can be closed while the other is in use.
    Object.assign(server, { allowHalfOpen: true, noDelay: true });
    server.on('connection', accept);
    // This process has no free descriptor: the connection is closed, and the program inside sees
    // that.
    server.on('error', () => undefined);
    if (closed) close();
  });
  return {
    serve(take) {
      onConnection = take;
      for (const connection of open) take(connection);
    },
    close,
  };
}
