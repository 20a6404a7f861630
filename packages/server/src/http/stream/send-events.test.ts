// Threat model: T289

import { getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type FastifyReply, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { eventText } from './follow-events.ts';
import { sendEvents } from './send-events.ts';

test('a reader that disconnects before its response begins leaves nothing behind until shutdown', async () => {
  const { asked, shutdown, gone, answer } = await oneReader();
  const { socket, raw } = await asked();
  socket.destroy();
  await once(raw, 'close');
  answer();
  await gone;
  expect(getEventListeners(shutdown, 'abort')).toEqual([]);
});

test('a reader that stays receives everything, and leaves nothing behind', async () => {
  const { asked, shutdown, gone, answer } = await oneReader();
  const { socket } = await asked();
  answer();
  expect(await text(socket)).toContain('\r\nid: 1\nevent: result\ndata: {}\n\n\r\n');
  await gone;
  expect(getEventListeners(shutdown, 'abort')).toEqual([]);
});

/** A server that begins its response when `answer` is called. */
async function oneReader() {
  const [begun, answering] = [Promise.withResolvers<FastifyReply['raw']>(), Promise.withResolvers<void>()];
  const left = Promise.withResolvers<void>();
  const shutdown = new AbortController().signal;
  const source = {
    next: () => ({ text: eventText({ id: 1, name: 'result', data: '{}' }), isOver: true }),
    subscribe: () => () => undefined,
    holds: () => true,
  };
  const app = fastify();
  onTestFinished(() => app.close());
  app.get('/', async (_request, reply) => {
    begun.resolve(reply.raw);
    await answering.promise;
    return sendEvents(reply, source, shutdown, left.resolve);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    shutdown,
    gone: left.promise,
    answer: answering.resolve,
    async asked(): Promise<{ socket: Socket; raw: FastifyReply['raw'] }> {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return { socket, raw: await begun.promise };
    },
  };
}
