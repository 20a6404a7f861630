// Threat model: T287, T288, T290

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { connected, connection, nextAnswer, wholeText } from './testing/connected.ts';
import { answered, authorization, bodyLimitBytes, type HttpWorld } from './testing/http-world.ts';

const head = `host: localhost\r\nauthorization: ${authorization}\r\n`;
const json = `${head}content-type: application/json\r\n`;
const execute = 'POST /skills/counter/execute HTTP/1.1\r\n';
/** Checked often. Long enough for the honest clients of a busy machine. */
const bounds = {
  headersMs: 600,
  requestMs: 1200,
  answerMs: 800,
  keepAliveMs: 72_000,
  checkMs: 25,
  connectionsMax: 50,
  unreadBytesMax: 64 * 1024 * 1024,
  answersMax: 1000,
};
/** For tests that are not about slow clients. */
const unhurried = { headersMs: 60_000, requestMs: 60_000 };

describe('a slow client is refused with one record, while others are served', () => {
  test.each([
    ['headers', 'GET /skills HTTP/1.1\r\nhost: loc', 400, 'REQUEST_UNREADABLE'],
    ['endless headers', `GET /skills HTTP/1.1\r\n${head}`, 400, 'REQUEST_UNREADABLE'],
    ['a body', `${execute}${json}content-length: 11\r\n\r\n{"inp`, 400, 'BODY_MALFORMED'],
    ['chunks', `${execute}${json}transfer-encoding: chunked\r\n\r\n5\r\n{"inp\r\n`, 400, 'BODY_MALFORMED'],
  ])('with %s', async (_, sent, status, code) => {
    const { world, socket } = await connected({ bounds });
    socket.write(sent);
    const refused = nextAnswer(socket);
    expect(await served(await connection(world))).toBe(200);
    expect(await refused).toMatchObject({ status, body: { code } });
    expect(world.events).toEqual([expect.objectContaining({ kind: 'request.denied', code })]);
  });

  test('byte by byte: arriving bytes do not extend the time limit', async () => {
    const { world, socket } = await connected({ bounds });
    socket.on('error', () => undefined).write('GET /skills HTTP/1.1\r\nx: ');
    const dribble = setInterval(() => socket.write('x'), 20);
    const refused = await nextAnswer(socket);
    clearInterval(dribble);
    expect(refused).toMatchObject({ status: 400, body: { code: 'REQUEST_UNREADABLE' } });
    expect(world.events).toHaveLength(1);
  });
});

test('an idle connection is closed without a record', async () => {
  const { world, socket } = await connected({ bounds });
  expect(await wholeText(socket)).toBe('');
  expect(world.events).toEqual([]);
});

test('a request that arrived in time is served, although the daemon was too busy to read it in time', async () => {
  const { world, socket } = await connected({ bounds });
  // Connections are accepted in order, so the first one is open now.
  expect(await served(await connection(world))).toBe(200);
  socket.write(`GET /skills HTTP/1.1\r\n${head}\r\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, bounds.headersMs + 100);
  expect(await nextAnswer(socket)).toMatchObject({ status: 200 });
});

test('connections beyond the maximum are closed, and new ones accepted when others have closed', async () => {
  const { world, socket } = await connected({ bounds: { ...bounds, headersMs: 60_000, connectionsMax: 2 } });
  const second = await connection(world);
  const third = await connection(world);
  expect(await wholeText(third)).toBe('');
  expect(await served(second)).toBe(200);
  second.destroy();
  await once(second, 'close');
  await vi.waitFor(async () => expect(await served(await connection(world))).toBe(200));
  expect(world.lines.filter(({ msg }) => /too many connections/.test(String(msg)))).toHaveLength(1);
  socket.destroy();
});

test('a thousand idle connections do not block other clients', async () => {
  const { world } = await connected();
  await Promise.all(Array.from({ length: 1000 }, () => connection(world)));
  expect(await served(await connection(world))).toBe(200);
});

describe('a body', () => {
  const padded = (bytes: number): string => {
    const body = '{"input":""}';
    return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
  };

  test.each([
    ['of the maximum size', bodyLimitBytes, 200, undefined],
    ['of one byte more', bodyLimitBytes + 1, 413, 'BODY_TOO_LARGE'],
  ])('%s, by its length and in chunks', async (_, bytes, status, code) => {
    const body = padded(bytes);
    for (const sent of [
      `content-length: ${bytes}\r\n\r\n${body}`,
      `transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ]) {
      const { socket } = await connected();
      socket.write(`${execute}${json}${sent}`);
      expect(await nextAnswer(socket)).toMatchObject({ status, body: code === undefined ? {} : { code } });
    }
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, identity'])(
    'encoded as %s is refused',
    async (encoding) => {
      const { world, socket } = await connected();
      socket.write(`${execute}${json}content-encoding: ${encoding}\r\ncontent-length: 11\r\n\r\n{"input":1}`);
      expect(await nextAnswer(socket)).toMatchObject({
        status: 415,
        body: { code: 'MEDIA_TYPE_UNSUPPORTED' },
      });
      expect(world.events).toHaveLength(1);
    },
  );

  test('longer than its length: the rest is the next request, and no call', async () => {
    const { world, socket } = await connected();
    socket.write(`${execute}${json}content-length: 11\r\n\r\n{"input":1}{"input":2}\r\n\r\n`);
    expect(await wholeText(socket)).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 400 .*REQUEST_UNREADABLE/s);
    expect(kinds(world)).toEqual(['call.started', 'call.finished', 'request.denied']);
  });
});

describe('an ambiguous request runs nothing', () => {
  test.each([
    ['a length and chunks', 'content-length: 11\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 11\r\n\r\n{"input":1}'],
    ['two lengths', 'content-length: 11\r\ncontent-length: 12\r\n\r\n{"input":1}'],
    ['two lengths in one', 'content-length: 11, 11\r\n\r\n{"input":1}'],
    ['a length with a sign', 'content-length: +11\r\n\r\n{"input":1}'],
    ['a length that is too large', 'content-length: 99999999999999999999999\r\n\r\n{"input":1}'],
    ['transfer encodings that do not end in chunked', 'transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n'],
    ['an unknown encoding with a similar name', 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'content-length : 11\r\n\r\n{"input":1}'],
    ['a folded header', 'x: 1\r\n content-length: 11\r\n\r\n{"input":1}'],
    ['a line that ends in CR alone', 'x: 1\rcontent-length: 11\r\n\r\n{"input":1}'],
    ['a NUL in a header', 'x: \0\r\ncontent-length: 11\r\n\r\n{"input":1}'],
    ['an invalid chunk size', 'transfer-encoding: chunked\r\n\r\n0x5\r\n{"inp\r\n0\r\n\r\n'],
    ['chunks that end in LF alone', 'transfer-encoding: chunked\r\n\r\nb\n{"input":1}\n0\n\n'],
  ])('%s', async (_, sent) => {
    const { world, socket } = await connected({ bounds });
    socket.write(`${execute}${json}${sent}`);
    const text = await wholeText(socket);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(text.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
    expect(kinds(world)).toEqual(['request.denied']);
  });

  test('and its unambiguous twin runs', async () => {
    const { world, socket } = await connected();
    socket.write(`${execute}${json}content-length: 11\r\n\r\n{"input":1}`);
    expect(await nextAnswer(socket)).toMatchObject({ status: 200 });
    expect(kinds(world)).toEqual(['call.started', 'call.finished']);
  });
});

describe('a path', () => {
  test.each([
    ['..', '/skills/../skills/counter'],
    ['an encoded ..', '/skills/%2e%2e/counter'],
    ['encoded slashes', '/skills/..%2f..%2fetc%2fpasswd'],
    ['an encoded NUL', '/skills/counter%00'],
    ['bytes that are not UTF-8', '/skills/%ff%fe'],
    ['an overlong slash', '/skills/%c0%af'],
    ['a single percent sign', '/skills/%'],
    ['a backslash', '/skills/..%5ccounter'],
    ['two slashes', '//skills/counter'],
    ['16 000 characters', `/skills/${'x'.repeat(15_000)}`],
  ])('with %s names no skill', async (_, path) => {
    const { world, socket } = await connected();
    socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
    const { status, body } = await nextAnswer(socket);
    expect([404, 400]).toContain(status);
    expect(['SKILL_NOT_FOUND', 'ROUTE_NOT_FOUND', 'REQUEST_UNREADABLE']).toContain(body.code);
    expect(world.events).toHaveLength(1);
  });
});

test('pipelined requests are answered in order', async () => {
  const { world, socket } = await connected();
  const one = (skill: string) => `GET /skills/${skill} HTTP/1.1\r\n${head}`;
  socket.write(`${one('counter')}\r\n${one('none')}\r\n${one('counter')}connection: close\r\n\r\n`);
  const text = await wholeText(socket);
  expect(text.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  expect(world.events).toHaveLength(1);
});

test('a client that reads nothing delays no other client and is disconnected', async () => {
  const output = 'x'.repeat(8 * 1024 * 1024);
  const { world, socket } = await connected({
    bounds,
    execute: async () => ({ ...answered, outcome: { status: 'succeeded', output } }),
  });
  socket.pause();
  socket.write(`${execute}${json}content-length: 11\r\n\r\n{"input":1}`);
  await vi.waitUntil(() => kinds(world).includes('call.finished'));
  expect(await served(await connection(world))).toBe(200);
  const line = await vi.waitUntil(() => world.lines.find(({ path }) => path === '/skills/counter/execute'));
  expect(line).toMatchObject({ clientGone: true });
});

test.each([
  ['answers', ''],
  ['events', 'accept: text/event-stream\r\n'],
])(
  'a key with unread %s gets nothing more until they are read, and other keys are served',
  async (_, accept) => {
    const output = 'x'.repeat(8 * 1024 * 1024);
    const { world, socket } = await connected({
      bounds: { ...bounds, ...unhurried, answerMs: 60_000, unreadBytesMax: 1024 * 1024 },
      execute: async () => ({ ...answered, outcome: { status: 'succeeded', output } }),
    });
    const own = await connection(world);
    expect(await served(own)).toBe(200);
    socket.pause();
    socket.write(`${execute}${json}${accept}content-length: 11\r\n\r\n{"input":1}`);
    await expect.poll(() => served(own)).toBe(503);
    expect(world.events.at(-1)).toMatchObject({ kind: 'request.denied', code: 'OVERLOADED' });

    world.rights.actor = 'another';
    expect(await served(await connection(world))).toBe(200);
    world.rights.actor = 'tester';
    socket.resume();
    await expect.poll(() => served(own)).toBe(200);
  },
);

test('a key that pipelines requests has a limited number of open responses, and other keys are served', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let running = 0;
  const { world, socket } = await connected({
    bounds: { ...bounds, ...unhurried, answersMax: 2 },
    execute: async () => {
      running += 1;
      if (running === 2) begun.resolve();
      await ended.promise;
      return answered;
    },
  });
  const own = await connection(world);
  expect(await served(own)).toBe(200);
  const sent = `${execute}${json}content-length: 11\r\n\r\n{"input":1}`;
  const last = `${execute}${json}connection: close\r\ncontent-length: 11\r\n\r\n{"input":1}`;
  socket.write(sent + sent);
  await begun.promise;
  socket.write(last);
  await expect.poll(() => world.events.at(-1)).toMatchObject({ kind: 'request.denied', code: 'OVERLOADED' });
  expect(await served(own)).toBe(503);
  world.rights.actor = 'another';
  expect(await served(await connection(world))).toBe(200);

  ended.resolve();
  const text = await wholeText(socket);
  expect([running, text.match(/HTTP\/1\.1 (\d+)/g)]).toEqual([
    2,
    ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 503'],
  ]);
  world.rights.actor = 'tester';
  expect(await served(own)).toBe(200);
});

/** The statuses of responses, in order. */
async function served(socket: Socket): Promise<number> {
  socket.write(`GET /skills HTTP/1.1\r\n${head}\r\n`);
  return (await nextAnswer(socket)).status;
}

function kinds({ events }: HttpWorld): string[] {
  return events.map(({ kind }) => kind);
}
