// Threat model: T195

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/skill-on-disk.ts';
import { testWorld } from './testing/egress-world.ts';
import { raw } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';
import { outside } from './testing/test-authority.ts';

const apiAddress = '93.184.216.34';

test('connects a program to granted hosts over TLS, passed through or inspected, and over plain HTTP', async () => {
  const [secure, plain] = [await httpServer(undefined, { host: 'api.example' }), await httpServer()];
  const world = await testWorld({
    names: { 'api.example': [apiAddress] },
    servers: { [`${apiAddress}:443`]: secure.port, [`${apiAddress}:80`]: plain.port },
  });
  const folder = await temporaryFolder();
  const [insidePem, outsidePem] = [join(folder, 'inside.pem'), join(folder, 'outside.pem')];
  await writeFile(insidePem, world.egress.authority);
  await writeFile(outsidePem, (await outside).certificate);

  const unopened = world.open({ network: ['api.example'] });
  expect(await curl(await proxyTo(unopened), ['--cacert', outsidePem, 'https://api.example/a?b'])).toEqual({
    exitCode: 0,
    out: 'reached GET /a?b',
    error: '',
  });
  const opened = world.open({ network: [{ host: 'api.example', methods: ['GET'] }] });
  expect(await curl(await proxyTo(opened), ['--cacert', insidePem, 'https://api.example/a?b'])).toEqual({
    exitCode: 0,
    out: 'reached GET /a?b',
    error: '',
  });
  const http = world.open({ network: ['http://api.example'] });
  expect(await curl(await proxyTo(http), ['http://api.example/c'])).toEqual({
    exitCode: 0,
    out: 'reached GET /c',
    error: '',
  });
  expect(opened.connections()).toEqual([
    {
      host: 'api.example',
      port: 443,
      method: 'GET',
      path: '/a',
      bytesUp: expect.any(Number),
      bytesDown: expect.any(Number),
      decision: 'allowed',
      rule: '{ host: "api.example", methods: ["GET"] }',
      at: expect.any(Number),
      durationMs: expect.any(Number),
      status: 200,
    },
  ]);
  expect(world.dialled).toEqual([`${apiAddress}:443`, `${apiAddress}:443`, `${apiAddress}:80`]);
});

test('refuses an ungranted host with an explanation, without resolving or dialling it', async () => {
  const world = await testWorld({});
  const egress = world.open({});
  const proxy = await proxyTo(egress);
  expect(await raw(proxy, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n')).toBe(
    'HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\n' +
      'x-ambit-denied: network evil.example:443\r\ncontent-length: 141\r\nconnection: close\r\n\r\n' +
      'Ambit: network evil.example:443 is not granted to this skill. ' +
      'Add to ambit.config.yaml: grants: { fetch: { network: ["evil.example:443"] } }\n',
  );
  expect(egress.denials()).toEqual([
    {
      capability: 'network',
      requested: 'evil.example:443',
      reason: 'is not granted to this skill',
      remedy: 'grants: { fetch: { network: ["evil.example:443"] } }',
    },
  ]);
  expect([world.resolved, world.dialled]).toEqual([[], []]);
});

test('refuses plain HTTP to a host that is granted for TLS, with the reason', async () => {
  const world = await testWorld({ names: { 'api.example': [apiAddress] } });
  const egress = world.open({ network: ['api.example:8080'] });
  const asked = { method: 'GET', url: 'http://api.example:8080/', headers: {}, body: new Uint8Array() };
  await expect(egress.request(asked)).rejects.toMatchObject({ status: 403 });
  expect(egress.denials()).toEqual([
    {
      capability: 'network',
      requested: 'api.example:8080',
      reason: 'is not granted to this skill for plain HTTP, only for TLS',
      remedy: 'grants: { fetch: { network: ["http://api.example:8080"] } }',
    },
  ]);
  expect(world.dialled).toEqual([]);
});

test.each([
  ['https://evil.example/', 'evil.example:443'],
  ['http://evil.example/', 'evil.example:80'],
  ['http://evil.example:8080/', 'http://evil.example:8080'],
])('names the line of configuration that grants %s', async (url, rule) => {
  const world = await testWorld({ names: { 'evil.example': [apiAddress] } });
  const asked = { method: 'GET', url, headers: {}, body: new Uint8Array() };
  const egress = world.open({});
  await expect(egress.request(asked)).rejects.toMatchObject({ status: 403 });
  const remedy = `grants: { fetch: { network: ["${rule}"] } }`;
  expect(egress.denials()).toMatchObject([{ remedy }]);
  // No server is listening.
  await expect(world.open({ network: [rule] }).request(asked)).rejects.toMatchObject({ status: 502 });
});

test('lets a skill without sockets send requests by a function', async () => {
  const secure = await httpServer(undefined, { host: 'api.example' });
  const world = await testWorld({
    names: { 'api.example': [apiAddress] },
    servers: { [`${apiAddress}:443`]: secure.port },
  });
  const egress = world.open({ network: ['api.example'] });
  const answer = await egress.request({
    method: 'POST',
    url: 'https://API.example./v1',
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('hello'),
  });
  expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([200, 'reached POST /v1']);
  expect(secure.received.map(({ body }) => body)).toEqual(['hello']);
  await expect(
    egress.request({ method: 'GET', url: 'https://evil.example/', headers: {}, body: new Uint8Array() }),
  ).rejects.toMatchObject({ name: 'ProxyRefusal', status: 403, denial: { requested: 'evil.example:443' } });
});

/** Runs curl through the proxy and returns its output. */
async function curl(
  proxy: number,
  args: readonly string[],
): Promise<{ exitCode: number | null; out: string; error: string }> {
  const child = spawn(
    'curl',
    ['--silent', '--show-error', '--max-time', '15', '--proxy', `http://127.0.0.1:${proxy}`, ...args],
    { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, error, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { exitCode, out, error };
}
