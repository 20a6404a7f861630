import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { outside } from '../../../../packages/runtime/src/egress/testing/test-authority.ts';

/** A test server on the host's loopback. */
export interface WebServer {
  port: number;
  /** `GET /path` of each request that reached it. */
  heard: string[];
  /** The number of connections, with or without a request. */
  connections(): number;
  close(): void;
}

/**
 * Returns its request, `reached GET /path`, unless `handler` answers. `secure`: over TLS, with a
 * certificate for 127.0.0.1 of an authority that is trusted only through `NODE_EXTRA_CA_CERTS`.
 */
export async function webServer({
  handler = reached,
  secure = false,
}: {
  handler?: RequestListener;
  secure?: boolean;
} = {}): Promise<WebServer> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const http = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  const secureContext = secure ? await (await outside).certify('127.0.0.1') : undefined;
  const server = createTcp((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    const stream = secureContext ? new TLSSocket(socket, { isServer: true, secureContext }) : socket;
    stream.on('error', () => socket.destroy());
    http.emit('connection', stream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const reached: RequestListener = (request: IncomingMessage, response) => {
  request.resume();
  response.end(`reached ${request.method} ${request.url}`);
};
