import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import type { FetchOptions } from '@ambit/client';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { socketFetch } from './socket-fetch.ts';

/** A server on a Unix socket. Returns a `fetch` for it. */
async function served(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const path = join(await temporaryFolder(), 'socket');
  const server = createServer((request, response) => void answer(request, response)).listen({ path });
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { fetch: socketFetch(path), server };
}

test('sends method, path, query, headers and body, and reads status, headers and body', async () => {
  const { fetch } = await served(async (request, response) => {
    const { method, url, headers } = request;
    const body = await text(request);
    response.writeHead(201, { 'x-one': ['a', 'b'], 'content-type': 'application/json' });
    response.end(JSON.stringify({ method, url, host: headers.host, mine: headers['x-mine'], body }));
  });
  const answer = await fetch('https://ignored.example:1/a%2Fb?c=d', {
    method: 'PUT',
    headers: { 'x-mine': 'yes' },
    body: 'é',
  });
  expect([answer.status, answer.ok, answer.url, answer.headers.get('X-One')]).toEqual([
    201,
    true,
    'https://ignored.example:1/a%2Fb?c=d',
    'a, b',
  ]);
  expect([answer.headers.has('content-type'), answer.headers.get('x-two')]).toEqual([true, null]);
  expect(await answer.json()).toEqual({
    method: 'PUT',
    url: '/a%2Fb?c=d',
    host: 'localhost',
    mine: 'yes',
    body: 'é',
  });
});

test('sends the length of a text, of bytes and of a blob, and a stream in chunks', async () => {
  const { fetch } = await served(async (request, response) => {
    const { 'content-length': length = null, 'transfer-encoding': encoding = null } = request.headers;
    response.end(JSON.stringify([length, encoding, await text(request)]));
  });
  const sent = async (body: NonNullable<FetchOptions['body']>): Promise<unknown> =>
    (await fetch('http://localhost/', { method: 'POST', body, duplex: 'half' })).json();
  expect(await sent('é')).toEqual(['2', null, 'é']);
  expect(await sent(new TextEncoder().encode('é'))).toEqual(['2', null, 'é']);
  expect(await sent(new Blob(['é']))).toEqual(['2', null, 'é']);
  expect(await sent(new Blob(['ab', 'c']).stream())).toEqual([null, 'chunked', 'abc']);
});

test('a response without a body has none', async () => {
  const { fetch } = await served((_, response) => response.writeHead(204).end());
  const answer = await fetch('http://localhost/');
  expect([answer.status, answer.body]).toEqual([204, null]);
});

test('the parts of a body arrive while it is sent, and a reader that stops ends the connection', async () => {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const { fetch } = await served((_, response) => {
    resolve(response);
    response.write('one');
  });
  const reader = (await fetch('http://localhost/')).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one');
  const sending = await promise;
  sending.write('two');
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('two');
  const closed = once(sending, 'close');
  await reader?.cancel();
  await closed;
});

test('its signal ends a request before the response, and a body while it arrives', async () => {
  const { fetch, server } = await served((request, response) => {
    if (request.url === '/body') response.write('one');
  });
  const reason = new Error('enough');
  const late = new AbortController();
  const unanswered = fetch('http://localhost/none', { signal: late.signal });
  const [, answering] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const closed = once(answering, 'close');
  late.abort(reason);
  await expect(unanswered).rejects.toBe(reason);
  await closed;

  const later = new AbortController();
  const answer = await fetch('http://localhost/body', { signal: later.signal });
  const whole = answer.text();
  await turn();
  later.abort(reason);
  await expect(whole).rejects.toBe(reason);
  await expect(fetch('http://localhost/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('rejects as fetch does without a listener, and for a connection that breaks', async () => {
  const missing = socketFetch(join(await temporaryFolder(), 'none'));
  await expect(missing('http://localhost/')).rejects.toMatchObject({
    name: 'TypeError',
    cause: { code: 'ENOENT' },
  });
  const { fetch } = await served(({ socket, url }, response) => {
    if (url === '/body') response.writeHead(200, { 'content-length': 9 }).write('one');
    setImmediate(() => socket.destroy());
  });
  await expect(fetch('http://localhost/')).rejects.toMatchObject({
    name: 'TypeError',
    cause: { code: 'ECONNRESET' },
  });
  const cut = await fetch('http://localhost/body');
  await expect(cut.text()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
});

test('a request is not disturbed by a server that answers and disconnects as soon as it has the body', async () => {
  const { fetch } = await served((request, response) => {
    request.once('data', () => {
      response.writeHead(200, { connection: 'close' }).end('answered');
      request.socket.destroySoon();
    });
  });
  for (let call = 0; call < 200; call += 1) {
    const answer = await fetch('http://localhost/', { method: 'POST', body: 'a' });
    expect(await answer.text()).toBe('answered');
  }
});

test('a body that fails rejects the request, and a long one waits for the server', async () => {
  const { fetch } = await served(async (request, response) => {
    let bytes = 0;
    for await (const part of request) bytes += part.length;
    response.end(String(bytes));
  });
  const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('no more')) });
  await expect(
    fetch('http://localhost/', { method: 'POST', body: failing, duplex: 'half' }),
  ).rejects.toMatchObject({ name: 'TypeError', cause: { message: 'no more' } });
  const part = new Uint8Array(100_000);
  const parts = ReadableStream.from(Array.from({ length: 300 }, () => part));
  const answer = await fetch('http://localhost/', { method: 'POST', body: parts, duplex: 'half' });
  expect(await answer.text()).toBe('30000000');
});
