import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
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

/** The answers of a test server. */
export interface Serving {
  /** Answers with its request, `reached GET /path`, if absent. */
  handler?: RequestListener;
  /** Over TLS, with a certificate for 127.0.0.1 of an authority that is trusted only through `NODE_EXTRA_CA_CERTS`. */
  secure?: boolean;
}

/** Servers for the tests of a block. They exist once its hooks have run. */
export function webServers<Name extends string>(
  servings: Readonly<Record<Name, Serving>>,
): Readonly<Record<Name, WebServer>> {
  const servers: Partial<Record<Name, WebServer>> = {};
  beforeAll(async () => {
    for (const name in servings) servers[name] = await webServer(servings[name]);
  });
  afterAll(() => {
    for (const name in servers) servers[name]?.close();
  });
  return servers as Record<Name, WebServer>;
}

export async function webServer({ handler = reached, secure = false }: Serving = {}): Promise<WebServer> {
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
