// Threat model: T419

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { nextAnswer, wholeText } from './testing/connected.ts';
import { authorization, type HttpWorld, type HttpWorldOptions, httpWorld } from './testing/http-world.ts';

/** A test server that listens on TCP and on the private socket. */
async function listening(options: HttpWorldOptions = {}): Promise<{ world: HttpWorld; path: string }> {
  const path = join(await temporaryFolder(), 'socket');
  const world = httpWorld(options);
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  world.app.privateServer.listen({ path });
  await once(world.app.privateServer, 'listening');
  return { world, path };
}

async function connection(path: string): Promise<Socket> {
  const socket = connect({ path });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;

test('each request of a connection has the identity of the socket or of the key that it brings', async () => {
  const { world, path } = await listening();
  const socket = await connection(path);
  for (const [more, caller] of [
    ['', { via: 'cli', actor: 'ada' }],
    [`authorization: ${authorization}\r\n`, { via: 'http', actor: 'tester' }],
    ['authorization: Bearer wrong\r\n', { via: 'http', actor: null }],
    ['authorization:\r\n', { via: 'http', actor: null }],
    ['', { via: 'cli', actor: 'ada' }],
  ] as const) {
    socket.write(get('/nowhere', more));
    await nextAnswer(socket);
    expect(world.events.at(-1)).toMatchObject(caller);
  }
});

test('a request that is injected, or arrives over TCP, has no identity of its own', async () => {
  const { world } = await listening();
  expect((await world.app.inject({ url: '/skills' })).statusCode).toBe(401);
  expect(world.events).toMatchObject([{ via: 'http', actor: null }]);
});

test('host and origin are checked on the socket too, and refusals name its caller', async () => {
  const { world, path } = await listening();
  const socket = await connection(path);
  socket.write('GET /skills HTTP/1.1\r\nhost: evil.example\r\n\r\n');
  expect(await nextAnswer(socket)).toMatchObject({ body: { code: 'HOST_REFUSED' } });
  socket.write(get('/skills', 'origin: http://evil.example\r\n'));
  expect(await nextAnswer(socket)).toMatchObject({ body: { code: 'ORIGIN_REFUSED' } });
  expect(world.events.map((event) => ('via' in event ? [event.via, event.actor] : []))).toEqual([
    ['cli', 'ada'],
    ['cli', 'ada'],
  ]);
});

test('input that is not HTTP is refused and recorded', async () => {
  const { world, path } = await listening();
  const socket = await connection(path);
  socket.write('hello\r\n\r\n');
  expect(await nextAnswer(socket)).toMatchObject({ status: 400, body: { code: 'REQUEST_UNREADABLE' } });
  expect(world.events).toMatchObject([{ kind: 'request.denied', code: 'REQUEST_UNREADABLE' }]);
});

test('many connections at the same time are served, and shutdown closes idle ones', async () => {
  const { world, path } = await listening();
  const sockets = await Promise.all(Array.from({ length: 20 }, () => connection(path)));
  for (const socket of sockets) socket.write(get('/skills'));
  const answers = await Promise.all(sockets.map(nextAnswer));
  expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200));
  const closed = sockets.map((socket) => once(socket.resume(), 'close'));
  await world.app.close();
  await Promise.all(closed);
  await expect(connection(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('connections beyond the maximum are closed, and input that does not arrive in time is refused', async () => {
  const bounds = {
    headersMs: 100,
    requestMs: 200,
    answerMs: 60_000,
    keepAliveMs: 60_000,
    checkMs: 20,
    unreadBytesMax: 1e6,
    answersMax: 100,
    connectionsMax: 1,
  };
  const { world, path } = await listening({ bounds });
  const slow = await connection(path);
  slow.write('GET /skills HTTP/1.1\r\nhost: loc');
  await vi.waitUntil(async () => {
    const other = await connection(path);
    return (await wholeText(other)) === '';
  });
  expect(await wholeText(slow)).toContain('did not arrive in time');
  expect(world.logged()).toContain('too many connections; closing new ones');
});
