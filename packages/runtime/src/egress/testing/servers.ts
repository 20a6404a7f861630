import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { CallProxy } from '../call-proxy.ts';
import { outside } from './test-authority.ts';

/** A request received by a test server, as sent. */
export interface Received {
  method: string;
  url: string;
  headers: string[];
  body: string;
}

/** An HTTP server on loopback. `https` adds a certificate for `host` from the outside authority. */
export async function httpServer(
  handler?: RequestListener,
  https?: { host: string },
): Promise<{ port: number; received: Received[]; connections: () => number }> {
  const received: Received[] = [];
  let connections = 0;
  const http = createServer((request, response) => {
    void gathered(request).then((body) => {
      received.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.rawHeaders,
        body,
      });
      if (handler === undefined) response.end(`reached ${request.method} ${request.url}`);
      else handler(request, response);
    });
  });
  const context = https && (await (await outside).certify(https.host));
  const port = await listening(
    createTcp((socket) => {
      connections++;
      socket.on('error', () => socket.destroy());
      const stream = context
        ? new TLSSocket(socket, { isServer: true, secureContext: context, ALPNProtocols: ['http/1.1'] })
        : socket;
      stream.on('error', () => socket.destroy());
      http.emit('connection', stream);
    }),
  );
  return { port, received, connections: () => connections };
}

/** A TCP port whose connections the egress proxy serves; returns the port. */
export function proxyTo(egress: CallProxy): Promise<number> {
  return listening(createTcp((socket) => egress.serve(socket)));
}

/** Listens on loopback until the test ends; returns the port. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function gathered(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}
