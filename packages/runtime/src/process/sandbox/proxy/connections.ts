import type { Server, Socket } from 'node:net';

/** The connections that one sandbox makes to its proxy. */
export interface Connections {
  /** Hands over those that wait and each that comes. They have no listener for anything but errors. */
  serve(take: (connection: Socket) => void): void;
  /** Ends them all and takes no more. */
  close(): void;
}

/**
 * Takes connections as soon as there is a listener for them. At most `most` are open at a time, those that wait among
 * them; more are closed at once. Either side may end its own half of one first.
 */
export function connectionsOf(listener: Promise<Server | undefined>, most: number): Connections {
  const open = new Set<Socket>();
  let handOver: ((connection: Socket) => void) | undefined;
  let server: Server | undefined;
  let closed = false;
  const begin = (connection: Socket): void => {
    if (open.size >= most) return void connection.destroy();
    connection.once('close', () => open.delete(connection));
    // One that breaks is closed after it; nobody may be listening yet.
    connection.on('error', () => undefined);
    open.add(connection);
    handOver?.(connection);
  };
  const close = (): void => {
    closed = true;
    server?.close();
    for (const connection of open) connection.destroy();
  };
  void listener.then((received) => {
    if (received === undefined) return;
    server = received;
    // A tunnel can be closed in one direction and used in the other.
    Object.assign(server, { allowHalfOpen: true, noDelay: true });
    server.on('connection', begin);
    // This process has no descriptor to spare: the connection is closed, and the program inside sees that.
    server.on('error', () => undefined);
    if (closed) close();
  });
  return {
    serve(take) {
      handOver = take;
      for (const connection of open) take(connection);
    },
    close,
  };
}
