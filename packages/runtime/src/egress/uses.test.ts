// What a call is said to have used of the network and of its secrets.
import { expect, test } from 'vitest';
import { testWorld } from './testing/egress-world.ts';
import { rawTls, tunnelled } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';
import { outside } from './testing/test-authority.ts';

const there = '93.184.216.34';
const elsewhere = '93.184.216.35';

/** The names of the world's hosts: `api.example` with a server for TLS and one for plain HTTP, `down.example` without any. */
async function world() {
  const [api, plain] = [await httpServer(undefined, { host: 'api.example' }), await httpServer()];
  return testWorld({
    names: { 'api.example': [there], 'down.example': [elsewhere] },
    servers: { [`${there}:443`]: api.port, [`${there}:80`]: plain.port, [`${elsewhere}:443`]: 'refuses' },
  });
}

const request = (url: string, headers: Record<string, string> = {}, body = '') => ({
  ...{ method: 'POST', url, headers, body: Buffer.from(body) },
});
const network = ['api.example', 'http://api.example', 'down.example'];
const secrets = [
  { name: 'TOKEN', value: 'token-value', hosts: ['api.example'] },
  { name: 'OTHER', value: 'other-value', hosts: ['down.example'] },
];

test('a host was used by each request that had its connection', async () => {
  const egress = (await world()).open({ network });
  for (const url of ['https://api.example/a', 'https://api.example/b', 'http://api.example/'])
    await egress.request(request(url));
  expect(egress.uses()).toEqual({
    network: new Map([
      ['api.example:443', 2],
      ['api.example:80', 1],
    ]),
    secrets: new Map(),
  });
});

test('a request that is refused, or whose host does not answer, used no host', async () => {
  const egress = (await world()).open({ network });
  await expect(egress.request(request('https://down.example/'))).rejects.toThrow('could not be reached');
  await expect(egress.request(request('https://evil.example/'))).rejects.toThrow('is not granted');
  expect(egress.uses()).toEqual({ network: new Map(), secrets: new Map() });
});

test('a secret was used when its value went out, wherever it stood, once for each request', async () => {
  const egress = (await world()).open({ network, secrets });
  const { TOKEN = '', OTHER = '' } = egress.placeholders;
  await egress.request(
    request('https://api.example/', { authorization: `Bearer ${TOKEN}`, 'x-token': TOKEN }),
  );
  await egress.request(request(`https://api.example/?token=${TOKEN}`));
  await egress.request(request('https://api.example/', {}, `in a body: ${TOKEN}`));
  await egress.request(request('https://api.example/'));
  // Neither where it is not for the host, nor where nobody was there to get it.
  await expect(egress.request(request('https://api.example/', { 'x-token': OTHER }))).rejects.toThrow(
    'OTHER',
  );
  await expect(egress.request(request('https://down.example/', { 'x-token': OTHER }))).rejects.toThrow();
  expect(egress.uses()).toEqual({
    network: new Map([['api.example:443', 4]]),
    secrets: new Map([['TOKEN', 3]]),
  });
});

test('a tunnel that nobody looks into counts once it carries something', async () => {
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
