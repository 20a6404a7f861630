// Threat model: T318

// The network hosts and secrets that a call reports as used.
import { expect, test } from 'vitest';
import { testWorld } from './testing/egress-world.ts';
import { rawTls, tunnelled } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';
import { outside } from './testing/test-authority.ts';

const apiAddress = '93.184.216.34';
const downAddress = '93.184.216.35';

/** The hosts of the test: `api.example` has a server, `down.example` has none. */
async function world() {
  const api = await httpServer(undefined, { host: 'api.example' });
  return testWorld({
    names: { 'api.example': [apiAddress], 'down.example': [downAddress] },
    servers: {
      [`${apiAddress}:443`]: api.port,
      [`${downAddress}:443`]: 'refuses',
    },
  });
}

const request = (url: string, headers: Record<string, string> = {}, body = '') => ({
  method: 'POST',
  url,
  headers,
  body: Buffer.from(body),
});
const network = ['api.example', 'down.example'];
const secrets = [
  { name: 'TOKEN', value: 'token-value', hosts: ['api.example'] },
  { name: 'OTHER', value: 'other-value', hosts: ['down.example'] },
];

test('does not count a refused request or an unreachable host', async () => {
  const egress = (await world()).open({ network });
  await expect(egress.request(request('https://down.example/'))).rejects.toThrow('is unreachable');
  await expect(egress.request(request('https://evil.example/'))).rejects.toThrow('is not granted');
  expect(egress.uses()).toEqual({ network: new Map(), secrets: new Map() });
});

test("counts each request that carries a secret's value once, and its line names the secret", async () => {
  const egress = (await world()).open({ network, secrets });
  const { TOKEN = '', OTHER = '' } = egress.placeholders;
  await egress.request(
    request('https://api.example/', { authorization: `Bearer ${TOKEN}`, 'x-token': TOKEN }),
  );
  await egress.request(request(`https://api.example/?token=${TOKEN}`));
  await egress.request(request('https://api.example/', {}, `in a body: ${TOKEN}`));
  await egress.request(request('https://api.example/'));
  // A secret for another host, and a host without a server.
  await expect(egress.request(request('https://api.example/', { 'x-token': OTHER }))).rejects.toThrow(
    'OTHER',
  );
  await expect(egress.request(request('https://down.example/', { 'x-token': OTHER }))).rejects.toThrow();
  expect(egress.uses()).toEqual({
    network: new Map([['api.example:443', 4]]),
    secrets: new Map([['TOKEN', 3]]),
  });
  expect(egress.connections().map(({ status, secrets: names }) => [status, names])).toEqual([
    [200, ['TOKEN']],
    [200, ['TOKEN']],
    [200, ['TOKEN']],
    [200, undefined],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('counts a tunnel that is passed through once it carries data', async () => {
  const egress = (await world()).open({ network });
  const port = await proxyTo(egress);
  (await tunnelled(port, 'api.example:443')).destroy();
  expect(egress.uses().network).toEqual(new Map());
  const { certificate } = await outside;
  const get = 'GET / HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n';
  const trusting = { servername: 'api.example', ca: certificate };
  expect(await rawTls(port, 'api.example:443', trusting, get)).toContain('reached GET /');
  expect(egress.uses().network).toEqual(new Map([['api.example:443', 1]]));
});
