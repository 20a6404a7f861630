import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that runs until it is closed, or as long as the tests of its file. */
export async function localServer(
  answer: RequestListener = (_, response) => response.end('hello'),
): Promise<{ port: number; origin: string; close(): void }> {
  const server = createServer(answer).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port, origin: `http://127.0.0.1:${port}`, close };
}
