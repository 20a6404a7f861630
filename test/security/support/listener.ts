import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net';

/** A listener on the host that counts what it receives. */
export interface Listener {
  port: number;
  heard: string[];
  /** Sends to it from the host. */
  speak(): Promise<void>;
  close(): void;
}

export async function listening(options: ListenOptions): Promise<Listener> {
  const heard: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (data) => heard.push(String(data)));
  });
  server.listen(options);
  await once(server, 'listening');
  const port = options.path === undefined ? (server.address() as AddressInfo).port : 0;
  return {
    port,
    heard,
    async speak() {
      const client = connect(
        options.path === undefined ? { host: options.host ?? '', port } : { path: options.path },
      );
      const ended = once(server, 'connection').then(([socket]) => once(socket as Socket, 'end'));
      client.end('from outside');
      await ended;
    },
    close: () => server.close(),
  };
}
