import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An HTTP server on loopback that is closed when the test ends. */
export async function httpServer(
  handler: RequestListener,
): Promise<{ port: number; received: { url: string }[]; connections: () => number }> {
  const received: { url: string }[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    received.push({ url: request.url ?? '' });
    handler(request, response);
  }).on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received, connections: () => connections };
}
