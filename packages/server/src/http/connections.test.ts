// Threat model: T291, T292

import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connected, nextAnswer, wholeText } from './testing/connected.ts';
import { authorization } from './testing/http-world.ts';

const head = `host: localhost\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\n`;

/** A world in which verifying the log continues until it is aborted. */
async function verifying() {
  const running = Promise.withResolvers<void>();
  const verify = async (signal: AbortSignal): Promise<never> => {
    running.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  };
  const over = await connected({ proofs: { receipt: async () => undefined, verify } });
  over.socket.write(`GET /audit/verify HTTP/1.1\r\n${head}\r\n`);
  await running.promise;
  return over;
}

test('a client that disconnects while a response is prepared leaves no record and no error', async () => {
  const { world, socket } = await verifying();
  socket.destroy();
  const line = await vi.waitUntil(() => world.lines.find(({ path }) => path === '/audit/verify'));
  expect([world.events, line]).toMatchObject([[], { level: 30, status: 499, clientGone: true }]);
});

test('shutdown interrupts a response in preparation with SHUTTING_DOWN and one record', async () => {
  const { world, socket } = await verifying();
  world.stop(new Error('the daemon stops'));
  expect(await nextAnswer(socket)).toMatchObject({ status: 503, body: { code: 'SHUTTING_DOWN' } });
  expect(world.events).toMatchObject([{ kind: 'request.denied', code: 'SHUTTING_DOWN', actor: 'tester' }]);
});

test('a client that stays connected after its refusal does not delay shutdown', async () => {
  const { world, socket: other } = await connected();
  other.destroy();
  const { port } = world.app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.write('hello\r\n\r\n');
  expect(await nextAnswer(socket)).toMatchObject({ status: 400 });
  await world.app.close();
});

test.each([
  ['nothing', ''],
  ['half a head', 'GET /skills HTTP/1.1\r\nhost: loc'],
])('shutdown closes a connection on which %s arrives, without a response or a record', async (_, sent) => {
  const { world, socket } = await connected();
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  socket.resume().write(sent);
  await world.app.close();
  await closed;
  expect([socket.bytesRead, world.events]).toEqual([0, []]);
});

test.each([
  ['bytes that are not HTTP', 'hello\r\n\r\n', 'it is not HTTP (HPE_INVALID_METHOD)'],
  ['endless headers', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 'its headers are too large'],
])('answers %s with a problem and one record', async (_, sent, why) => {
  const { world, socket } = await connected();
  socket.write(sent);
  const { status, body } = await nextAnswer(socket);
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      type: 'urn:ambit:problem:request-unreadable',
      title: 'Unreadable HTTP request',
      status: 400,
      detail: `cannot read the request: ${why}`,
      instance: 'urn:uuid:e1',
      code: 'REQUEST_UNREADABLE',
      executionId: 'e1',
    },
  });
  expect(world.events).toEqual([
    {
      kind: 'request.denied',
      executionId: 'e1',
      time: 1000,
      via: 'http',
      actor: null,
      code: 'REQUEST_UNREADABLE',
      message: `cannot read the request: ${why}`,
      request: 'unreadable',
    },
  ]);
});

test.each([
  ['with endless headers', `HEAD / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['that expects something', `HEAD /skills HTTP/1.1\r\n${head}expect: something\r\n\r\n`],
])('refuses a HEAD %s without a body, and leaves one record', async (_, sent) => {
  const { world, socket } = await connected();
  socket.write(sent);
  expect(await wholeText(socket)).toMatch(/^HTTP\/1\.1 400 [^{]*\r\ncontent-length: [1-9]\d*\r\n\r\n$/);
  expect(world.events).toMatchObject([{ kind: 'request.denied', code: 'REQUEST_UNREADABLE' }]);
});

test.each([
  ['without a Host header', 'GET /skills HTTP/1.1\r\n\r\n', 403, 'HOST_REFUSED'],
  ['of HTTP/1.0 without a Host header', 'GET /skills HTTP/1.0\r\n\r\n', 403, 'HOST_REFUSED'],
  [
    'with an absolute target',
    `GET http://evil.example/skills HTTP/1.1\r\n${head}\r\n`,
    404,
    'ROUTE_NOT_FOUND',
  ],
  ['with the target *', `OPTIONS * HTTP/1.1\r\n${head}\r\n`, 404, 'ROUTE_NOT_FOUND'],
  ['with a method of WebDAV', `PROPFIND /skills HTTP/1.1\r\n${head}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  [
    'with invalid chunks',
    `POST /skills/counter/execute HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'BODY_MALFORMED',
  ],
])('refuses a request %s like any other, with one record', async (_, sent, status, code) => {
  const { world, socket } = await connected();
  socket.write(sent);
  const answer = await nextAnswer(socket);
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  expect(world.events).toEqual([expect.objectContaining({ kind: 'request.denied', code })]);
});

test('a HEAD request to a route without HEAD is refused without a body, with one record', async () => {
  const { world, socket } = await connected();
  socket.write(`HEAD /audit HTTP/1.1\r\n${head}connection: close\r\n\r\n`);
  const text = await wholeText(socket);
  expect(text).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: GET\r\n/s);
  expect(text).toMatch(/\r\n\r\n$/);
  expect(world.events).toEqual([
    expect.objectContaining({ kind: 'request.denied', code: 'METHOD_NOT_ALLOWED' }),
  ]);
});

test('a body shorter than its length leaves one record', async () => {
  const recorded = Promise.withResolvers<void>();
  const { world, socket } = await connected({ append: () => recorded.resolve() });
  socket.write(`POST /skills/counter/execute HTTP/1.1\r\n${head}content-length: 50\r\n\r\n{"input"`);
  socket.destroy();
  await recorded.promise;
  expect(world.events).toEqual([expect.objectContaining({ kind: 'request.denied', code: 'BODY_MALFORMED' })]);
});

test('data after a refused request leaves no other record', async () => {
  const { world, socket } = await connected();
  socket.write(
    'POST /skills/counter/execute HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  );
  expect(await wholeText(socket)).toMatch(/^HTTP\/1\.1 401 /);
  expect(world.events).toEqual([expect.objectContaining({ kind: 'auth.rejected' })]);
});

test('a connection that is opened and closed leaves no record', async () => {
  const { world, socket } = await connected();
  socket.end();
  await once(socket, 'close');
  expect(world.events).toEqual([]);
});
