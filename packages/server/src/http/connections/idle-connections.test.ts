import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endIdleConnections } from './idle-connections.ts';

/** A server on every address of this machine. */
async function listening() {
  const app = fastify();
  endIdleConnections(app);
  app.get('/', async () => 'ok');
  await app.listen({ host: '0.0.0.0', port: 0 });
  return app;
}

async function connected(app: FastifyInstance, host: string, localPort = 0): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host, localPort, localAddress: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function connections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}

test('two connections from one port to two addresses are separate: closing one leaves the other for shutdown', async () => {
  const app = await listening();
  const idle = await connected(app, '127.0.0.1');
  const over = await connected(app, '127.0.0.2', idle.localPort);
  await expect.poll(() => connections(app)).toBe(2);
  over.destroy();
  await expect.poll(() => connections(app)).toBe(1);
  const closed = once(idle, 'close');
  await app.close();
  await closed;
});

test('a connection that reuses the addresses of an earlier one replaces it: the late close of the earlier one does not delay shutdown', async () => {
  const app = await listening();
  const accepted: Socket[] = [];
  app.server.on('connection', (socket) => accepted.push(socket));
  const first = await connected(app, '127.0.0.1');
  const { localPort } = first;
  await vi.waitUntil(() => accepted.length === 1);
  // Its close event is not observed.
  accepted[0]?.pause();
  first.resetAndDestroy();
  await once(first, 'close');
  const second = await connected(app, '127.0.0.1', localPort);
  await vi.waitUntil(() => accepted.length === 2);
  expect(accepted[0]?.destroyed).toBe(true);
  const closed = once(second, 'close');
  await app.close();
  await closed;
});
