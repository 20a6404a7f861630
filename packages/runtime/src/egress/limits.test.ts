// Threat model: T93

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { testWorld } from './testing/egress-world.ts';
import { raw, rawTls, tunnelled } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';

const apiAddress = '93.184.216.34';
const limits = { connections: 8, requestBytes: 100_000, responseBytes: 100_000, timeoutMs: 60_000 };
const get = { method: 'GET', url: 'http://api.example/', headers: {}, body: new Uint8Array() };

async function worldWith(server: Awaited<ReturnType<typeof httpServer>>) {
  return await testWorld({
    names: { 'api.example': [apiAddress] },
    servers: { [`${apiAddress}:80`]: server.port, [`${apiAddress}:443`]: server.port },
  });
}

describe('the bytes of a call', () => {
  test('limits the bytes received in all responses together', async () => {
    const server = await httpServer((_request, response) => response.end(Buffer.alloc(60_000)));
    const { open } = await worldWith(server);
    const egress = open({ network: ['http://api.example'], limits });
    expect((await egress.request(get)).body.length).toBe(60_000);
    await expect(egress.request(get)).rejects.toMatchObject({
      status: 502,
      message: 'Ambit: response too large: a call may receive 100000 bytes',
    });
  });

  test('limits the bytes received in a tunnel that is passed through', async () => {
    const server = await httpServer((_request, response) => response.end(Buffer.alloc(150_000, 'x')), {
      host: 'api.example',
    });
    const { open } = await worldWith(server);
    const ask = async (responseBytes: number): Promise<number> => {
      const egress = open({ network: ['api.example'], limits: { ...limits, responseBytes } });
      const answer = await rawTls(
        await proxyTo(egress),
        'api.example:443',
        { servername: 'api.example', rejectUnauthorized: false },
        'GET / HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n',
      );
      return answer.length;
    };
    expect(await ask(100_000)).toBeLessThan(100_000);
    expect(await ask(200_000)).toBeGreaterThan(150_000);
  });
});

test('answers 504 with an explanation if a server does not respond', async () => {
  const server = await httpServer((request, response) => {
    if (request.url === '/now') response.end('now');
  });
  const { open } = await worldWith(server);
  const ask = async (path: string, timeoutMs: number): Promise<string> =>
    raw(
      await proxyTo(open({ network: ['http://api.example'], limits: { ...limits, timeoutMs } })),
      `GET http://api.example${path} HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n`,
    );
  expect(await ask('/never', 300)).toMatch(
    /^HTTP\/1\.1 504 [\s\S]*Ambit: no complete answer within 300 ms\n/,
  );
  expect(await ask('/now', limits.timeoutMs)).toMatch(/^HTTP\/1\.1 200 /);
});

test('answers 502 with an explanation if a server is unreachable, before a tunnel opens', async () => {
  const { open } = await testWorld({
    names: { 'api.example': [apiAddress] },
    servers: { [`${apiAddress}:443`]: 'refuses' },
  });
  const egress = open({ network: ['api.example', 'gone.example'] });
  const proxy = await proxyTo(egress);
  await expect(tunnelled(proxy, 'api.example:443')).rejects.toThrow(
    /^HTTP\/1\.1 502 [\s\S]*Ambit: api\.example:443 is unreachable or closed the connection: ECONNREFUSED/,
  );
  await expect(tunnelled(proxy, 'gone.example:443')).rejects.toThrow(
    /Ambit: gone\.example has no address: ENOTFOUND/,
  );
});

test('limits the connections of a call', async () => {
  const server = await httpServer();
  const { open } = await worldWith(server);
  const egress = open({ network: ['http://api.example'], limits: { ...limits, connections: 2 } });
  const proxy = await proxyTo(egress);
  const held = [connect(proxy, '127.0.0.1'), connect(proxy, '127.0.0.1')];
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  const ask = (): Promise<string> =>
    raw(proxy, 'GET http://api.example/ HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n');
  expect(await ask()).toMatch(
    /^HTTP\/1\.1 503 [\s\S]*Ambit: too many connections: a call may have 2 at the same time/,
  );
  await expect(egress.request(get)).rejects.toMatchObject({ status: 503 });
  const gone = held.map((socket) => once(socket, 'close'));
  for (const socket of held) socket.end();
  await Promise.all(gone);
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
});

test('ends all connections of a closed proxy and opens no new ones', async () => {
  const server = await httpServer(() => undefined);
  const { open, dialled } = await worldWith(server);
  const egress = open({ network: ['http://api.example', 'api.example'] });
  const proxy = await proxyTo(egress);
  const tunnel = await tunnelled(proxy, 'api.example:443');
  const waiting = egress.request(get).catch((error: Error) => error.message);
  const ended = once(tunnel, 'close');
  egress.close();
  await ended;
  expect(await waiting).toBe('Ambit: the call has ended');
  const before = dialled.length;
  expect(await raw(proxy, 'GET http://api.example/ HTTP/1.1\r\nHost: api.example\r\n\r\n')).toBe('');
  await expect(egress.request(get)).rejects.toMatchObject({ message: 'Ambit: the call has ended' });
  expect(dialled.length).toBe(before);
});
