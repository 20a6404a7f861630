// Threat model: T195

import { expect, test } from 'vitest';
import { testWorld } from './testing/egress-world.ts';
import { raw } from './testing/raw.ts';
import { proxyTo } from './testing/servers.ts';

const apiAddress = '93.184.216.34';

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
