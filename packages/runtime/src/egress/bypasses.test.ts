// Threat model: T194, T196

import type { NetworkRule } from '@ambit/core/egress';
import { describe, expect, test } from 'vitest';
import type { CallProxy } from './call-proxy.ts';
import { type TestWorld, testWorld } from './testing/egress-world.ts';
import { raw, rawTls } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';
import { outside } from './testing/test-authority.ts';

const apiAddress = '93.184.216.34';
const otherAddress = '93.184.216.35';

interface World extends TestWorld {
  plain: Awaited<ReturnType<typeof httpServer>>;
  secure: Awaited<ReturnType<typeof httpServer>>;
}

/**
 * `api.example` and `other.example` are served over TLS and plain HTTP. `names` resolve as well.
 */
async function world(names: Parameters<typeof testWorld>[0]['names'] = {}): Promise<World> {
  const [plain, secure] = [await httpServer(), await httpServer(undefined, { host: 'api.example' })];
  const made = await testWorld({
    names: { 'api.example': [apiAddress], 'other.example': [otherAddress], ...names },
    servers: {
      [`${apiAddress}:80`]: plain.port,
      [`${otherAddress}:80`]: plain.port,
      [`${apiAddress}:443`]: secure.port,
      [`${otherAddress}:443`]: secure.port,
    },
    ownAddresses: ['93.184.216.99'],
  });
  return { ...made, plain, secure };
}

function get(url: string, host = 'api.example', more = '', method = 'GET'): string {
  return `${method} ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;
}

function status(answer: string): string {
  return answer.slice(9, 12);
}

async function permitted(egress: CallProxy): Promise<void> {
  expect(await raw(await proxyTo(egress), get('http://api.example/twin'))).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n[\s\S]*reached GET \/twin/,
  );
}

describe('requests that differ from the grant', () => {
  test.each<[string, string, string]>([
    ['a TLS port, over plain HTTP', get('http://api.example:443/', 'api.example:443'), '403'],
    ['a name with the granted name as suffix', get('http://evilapi.example/', 'evilapi.example'), '403'],
    ['a name with the granted name as prefix', get('http://api.example.evil/', 'api.example.evil'), '403'],
    ['a subdomain', get('http://sub.api.example/', 'sub.api.example'), '403'],
    ['a name with a look-alike character', get('http://аpi.example/', 'xn--pi-7kc.example'), '400'],
    ['its punycode', get('http://xn--pi-7kc.example/', 'xn--pi-7kc.example'), '403'],
    ['a header on two lines', get('http://api.example/', undefined, 'X-A: b\r\n c\r\n'), '400'],
  ])('refuses %s, and permits the granted request', async (_, attempt, expected) => {
    const { open, dialled, plain } = await world();
    const egress = open({ network: ['http://api.example', 'api.example'] });
    expect(status(await raw(await proxyTo(egress), attempt))).toBe(expected);
    expect([dialled, plain.received]).toEqual([[], []]);
    await permitted(egress);
    expect(dialled).toEqual([`${apiAddress}:80`]);
  });

  test('generates the forwarded request and removes proxy headers', async () => {
    const { open, plain } = await world();
    const egress = open({ network: ['http://api.example'] });
    const headers =
      'Proxy-Authorization: Basic eA==\r\nProxy-Connection: x\r\nTE: trailers\r\nX-Hop: 1\r\nX-Kept: 2\r\nTransfer-Encoding: chunked\r\n';
    await raw(
      await proxyTo(egress),
      `POST http://API.example.:80/a HTTP/1.1\r\nHost: api.EXAMPLE\r\nConnection: close, x-hop\r\n${headers}\r\n5;ext="x"\r\nhello\r\n0\r\nHost: other.example\r\n\r\n`,
    );
    expect(plain.received).toEqual([
      {
        method: 'POST',
        url: '/a',
        headers: [
          'Host',
          'api.example',
          'X-Kept',
          '2',
          'Transfer-Encoding',
          'chunked',
          'Connection',
          'keep-alive',
        ],
        body: 'hello',
      },
    ]);
  });
});

describe('special addresses', () => {
  test.each<[string, string]>([
    ['loopback', '127.0.0.1'],
    ['loopback, another address', '127.8.9.10'],
    ['private', '10.1.2.3'],
    ['private', '172.31.255.254'],
    ['private', '192.168.1.1'],
    ['link-local', '169.254.1.1'],
    ['metadata', '169.254.169.254'],
    ['metadata', '168.63.129.16'],
    ['metadata', '100.100.100.200'],
    ['carriers', '100.64.0.1'],
    ['benchmarks', '198.19.0.1'],
    ['documentation', '203.0.113.7'],
    ['this host', '93.184.216.99'],
    ['IPv6 loopback', '::1'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 private', 'fd12::1'],
    ['IPv6 metadata', 'fd00:ec2::254'],
    ['IPv4 in IPv6, mapped', '::ffff:10.0.0.1'],
    ['IPv4 in IPv6, compatible', '::10.0.0.1'],
    ['IPv4 in IPv6, NAT64', '64:ff9b::a9fe:a9fe'],
    ['IPv4 in IPv6, 6to4', '2002:7f00:1::'],
    ['IPv4 in IPv6, Teredo', '2001:0:7f00:1::1'],
  ])('refuses a name with a %s address that is not granted itself: %s', async (_, address) => {
    const made = await world({ 'trap.example': [address], 'mixed.example': [apiAddress, address] });
    const egress = made.open({
      network: ['http://trap.example', 'http://mixed.example', 'http://api.example'],
    });
    const proxy = await proxyTo(egress);
    for (const host of ['trap.example', 'mixed.example']) {
      expect(status(await raw(proxy, get(`http://${host}/`, host)))).toBe('403');
      expect(status(await raw(proxy, get(`${host}:80`, host, '', 'CONNECT')))).toBe('403');
    }
    expect([made.dialled, egress.denials().length]).toEqual([[], 2]);
    await permitted(egress);
  });

  test.each(['0.0.0.0', '224.0.0.1', '255.255.255.255', '240.0.0.1', '[::]', '[ff02::1]'])(
    'refuses %s even if it is granted',
    async (address) => {
      const { open, dialled } = await world();
      const egress = open({ network: [`http://${address}`, 'http://api.example'] });
      expect(status(await raw(await proxyTo(egress), get(`http://${address}/`, address)))).toBe('403');
      expect(dialled).toEqual([]);
      await permitted(egress);
    },
  );

  test('allows a name that resolves to a private address if both are granted, on that port', async () => {
    const { open, plain } = await world({ 'db.internal': ['127.0.0.1'] });
    const port = plain.port;
    const name = `http://db.internal:${port}`;
    const ask = async (network: NetworkRule[]): Promise<string> =>
      status(await raw(await proxyTo(open({ network })), get(`${name}/`, `db.internal:${port}`)));
    expect(await ask([name])).toBe('403');
    expect(await ask([name, `127.0.0.1:${port + 1}`])).toBe('403');
    expect(await ask([name, `127.0.0.1:${port}`])).toBe('200');
  });

  test('resolves a name once, so a later answer has no effect', async () => {
    const answers = [[apiAddress], ['127.0.0.1']];
    const { open, resolved, dialled } = await world({ 'rebind.example': () => answers.shift() ?? [] });
    const egress = open({ network: ['http://rebind.example'] });
    const proxy = await proxyTo(egress);
    const ask = async (): Promise<string> =>
      status(await raw(proxy, get('http://rebind.example/', 'rebind.example')));
    expect([await ask(), await ask()]).toEqual(['200', '200']);
    expect([resolved, new Set(dialled)]).toEqual([['rebind.example'], new Set([`${apiAddress}:80`])]);
  });
});

describe('deny rules', () => {
  const path = { host: 'http://api.example', paths: ['/admin/**'] };
  test.each<[string, NetworkRule, string, string]>([
    ['for the same host', 'api.example', '/', 'GET'],
    ['for all subdomains', '*.example', '/', 'GET'],
    ['for an address of a name', apiAddress, '/', 'GET'],
    ['for a method', { host: 'api.example', methods: ['DELETE'] }, '/', 'DELETE'],
    ['for a path', path, '/admin/x', 'GET'],
    ['for a path in another case', path, '/Admin/x', 'GET'],
    ['for a path with an escape', path, '/%61dmin/x', 'GET'],
    ['for a path with dots', path, '/v1/../admin/x', 'GET'],
    ['for a path with two slashes', path, '//admin/x', 'GET'],
    ['for a path before a query', path, '/admin/x?y', 'GET'],
  ])('let a deny rule take precedence %s', async (_, rule, target, method) => {
    const { open, dialled } = await world();
    const ask = async (deny: NetworkRule[]): Promise<string> =>
      status(
        await raw(
          await proxyTo(open({ network: ['http://api.example'], deny })),
          get(`http://api.example${target}`, undefined, '', method),
        ),
      );
    expect([await ask([rule]), dialled]).toEqual(['403', []]);
    expect([await ask(['other.example']), dialled]).toEqual(['200', [`${apiAddress}:80`]]);
  });
});

describe('inside a tunnel', () => {
  const inspected: NetworkRule[] = [{ host: 'api.example', methods: ['GET', 'POST'] }];
  const origin = (host = 'api.example', more = ''): string =>
    `GET /twin HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;

  const named = (servername: string) => ({ servername, rejectUnauthorized: false });

  test.each<[string, NetworkRule[]]>([
    ['inspected', inspected],
    ['passed through', ['api.example']],
  ])(
    'accepts only the host of the tunnel, or none, as the TLS server name if it is %s',
    async (_, network) => {
      const { open, secure } = await world();
      const egress = open({ network: [...network, 'other.example'] });
      const proxy = await proxyTo(egress);
      const ask = (servername: string): Promise<string> =>
        rawTls(proxy, 'api.example:443', named(servername), origin());
      expect(await ask('evil.example')).toBe('ERR_SSL_TLSV1_UNRECOGNIZED_NAME');
      expect(await ask('other.example')).toBe('ERR_SSL_TLSV1_UNRECOGNIZED_NAME');
      expect(secure.received).toEqual([]);
      expect(egress.denials().map(({ requested, reason }) => `${requested} ${reason}`)).toEqual([
        'evil.example:443 is named by TLS inside a tunnel to api.example:443',
        'other.example:443 is named by TLS inside a tunnel to api.example:443',
      ]);
      expect(await ask('API.example')).toMatch(/reached GET \/twin/);
      expect(await rawTls(proxy, 'api.example:443', { rejectUnauthorized: false }, origin())).toMatch(
        /reached/,
      );
    },
  );

  test('sends nothing to a server with a certificate for another host', async () => {
    const wrong = await httpServer(undefined, { host: 'other.example' });
    const { open } = await testWorld({
      names: { 'api.example': [apiAddress], 'other.example': [apiAddress] },
      servers: { [`${apiAddress}:443`]: wrong.port },
    });
    const egress = open({ network: inspected.concat({ host: 'other.example', methods: ['GET'] }) });
    const proxy = await proxyTo(egress);
    expect(await rawTls(proxy, 'api.example:443', named('api.example'), origin())).toMatch(
      /^HTTP\/1\.1 502 [\s\S]*ERR_TLS_CERT_ALTNAME_INVALID/,
    );
    expect(wrong.received).toEqual([]);
    expect(await rawTls(proxy, 'other.example:443', named('other.example'), origin('other.example'))).toMatch(
      /reached/,
    );
  });

  test('sends nothing to a server with an untrusted certificate', async () => {
    const { egress } = await testWorld({});
    const { open } = await world();
    const stranger = await httpServer(undefined, { host: 'api.example' });
    expect(egress.authority).not.toBe((await outside).certificate);
    const { egressProxy } = await import('./egress-proxy.ts');
    const { connect } = await import('node:net');
    const trusting = await egressProxy({
      resolve: async () => [apiAddress],
      dial: () => connect({ host: '127.0.0.1', port: stranger.port }),
    });
    const call = trusting.open({
      network: inspected,
      deny: [],
      secrets: [],
      limits: { connections: 4, requestBytes: 1e6, responseBytes: 1e6, timeoutMs: 60_000 },
      remedy: () => '',
    });
    const request = { method: 'GET', url: 'https://api.example/', headers: {}, body: new Uint8Array() };
    await expect(call.request(request)).rejects.toMatchObject({ status: 502 });
    expect(stranger.received).toEqual([]);
    expect((await open({ network: inspected }).request(request)).status).toBe(200);
    await trusting.close();
  });
});
