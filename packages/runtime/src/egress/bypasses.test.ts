// Threat model: T194, T196

import type { NetworkRule } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import type { CallProxy } from './call-proxy.ts';
import { type TestWorld, testWorld } from './testing/egress-world.ts';
import { raw, rawTls, sendAndRead, tunnelled } from './testing/raw.ts';
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
  const chunked = '5\r\nhello\r\n0\r\n\r\n';
  test.each<[string, string, string]>([
    ['another host', get('http://other.example/', 'other.example'), '403'],
    ['another port', get('http://api.example:8080/', 'api.example:8080'), '403'],
    ['a TLS port, over plain HTTP', get('http://api.example:443/', 'api.example:443'), '403'],
    ['the host as user-info', get('http://api.example@other.example/', 'other.example'), '400'],
    ['user-info before the host', get('http://other.example@api.example/'), '400'],
    ['user-info with a password', get('http://a:b@api.example/'), '400'],
    ['a name with the granted name as suffix', get('http://evilapi.example/', 'evilapi.example'), '403'],
    ['a name with the granted name as prefix', get('http://api.example.evil/', 'api.example.evil'), '403'],
    ['a subdomain', get('http://sub.api.example/', 'sub.api.example'), '403'],
    ['a name with a look-alike character', get('http://аpi.example/', 'xn--pi-7kc.example'), '400'],
    ['its punycode', get('http://xn--pi-7kc.example/', 'xn--pi-7kc.example'), '403'],
    ['NUL in a name', get('http://api.example\0.other.example/'), '400'],
    ['an escape in a name', get('http://api.example%2eother.example/'), '400'],
    ['an escaped NUL in a name', get('http://api.example%00.other.example/'), '400'],
    ['a tab in a name', get('http://api.example\t.other.example/'), '400'],
    ['a backslash as a slash', get('http://other.example\\@api.example/'), '400'],
    ['a fragment before the host', get('http://other.example#@api.example/'), '400'],
    ['a port that is too high', get('http://api.example:65616/'), '400'],
    ['two ports', get('http://api.example:80:443/'), '400'],
    ['two Host headers', get('http://api.example/', 'api.example', 'Host: other.example\r\n'), '400'],
    ['a different Host header', get('http://api.example/', 'other.example'), '421'],
    ['no Host header', 'GET http://api.example/ HTTP/1.1\r\nConnection: close\r\n\r\n', '400'],
    ['TLS without a tunnel', get('https://api.example/'), '400'],
    ['another scheme', get('ftp://api.example/'), '400'],
    ['a file', get('file:///etc/passwd'), '400'],
    ['a path without a host', get('/'), '400'],
    ['a path of two slashes', get('//other.example/'), '400'],
    [
      'two lengths',
      get('http://api.example/', undefined, 'Content-Length: 0\r\nContent-Length: 5\r\n', 'POST'),
      '400',
    ],
    [
      'a length and chunks',
      get('http://api.example/', undefined, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', 'POST') +
        chunked,
      '400',
    ],
    [
      'chunked that is not the last encoding',
      get('http://api.example/', undefined, 'Transfer-Encoding: chunked, identity\r\n', 'POST') + chunked,
      '400',
    ],
    [
      'an unknown encoding',
      get('http://api.example/', undefined, 'Transfer-Encoding: xchunked\r\n', 'POST') + chunked,
      '400',
    ],
    ['a space before a colon', get('http://api.example/', undefined, 'X-A : b\r\n'), '400'],
    ['a header on two lines', get('http://api.example/', undefined, 'X-A: b\r\n c\r\n'), '400'],
    ['lines that end with LF only', get('http://api.example/').replaceAll('\r\n', '\n'), '400'],
    ['NUL in a header', get('http://api.example/', undefined, 'X-A: b\0c\r\n'), '400'],
    [
      'WebSocket',
      'GET http://api.example/ HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      '501',
    ],
    [
      'HTTP/2 by upgrade',
      'GET http://api.example/ HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n',
      '501',
    ],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['TRACE', get('http://api.example/', undefined, '', 'TRACE'), '405'],
    [
      '40,000 bytes of header',
      get('http://api.example/', undefined, `X-A: ${'b'.repeat(40_000)}\r\n`),
      '431',
    ],
    ['300 headers', get('http://api.example/', undefined, 'X: y\r\n'.repeat(300)), '431'],
    ['CONNECT without a port', get('api.example', undefined, '', 'CONNECT'), '400'],
    ['CONNECT to another host', get('other.example:443', undefined, '', 'CONNECT'), '403'],
    ['CONNECT to another port', get('api.example:22', undefined, '', 'CONNECT'), '403'],
    ['CONNECT with user-info', get('api.example:443@other.example:443', undefined, '', 'CONNECT'), '400'],
    ['CONNECT to a URL', get('http://api.example:443', undefined, '', 'CONNECT'), '400'],
    ['CONNECT with an escape', get('api.example%00:443', undefined, '', 'CONNECT'), '400'],
  ])('refuses %s, and permits the granted request', async (_, attempt, expected) => {
    const { open, dialled, plain } = await world();
    const egress = open({ network: ['http://api.example', 'api.example'] });
    expect(status(await raw(await proxyTo(egress), attempt))).toBe(expected);
    expect([dialled, plain.received]).toEqual([[], []]);
    await permitted(egress);
    expect(dialled).toEqual([`${apiAddress}:80`]);
  });

  test('refuses the second of two requests on a connection if only the first is granted', async () => {
    const { open, dialled } = await world();
    const egress = open({ network: ['http://api.example'] });
    const both =
      'GET http://api.example/a HTTP/1.1\r\nHost: api.example\r\n\r\n' +
      get('http://other.example/b', 'other.example');
    const answers = await raw(await proxyTo(egress), both);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
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

  test.each([
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '0x7f000001',
    '[::ffff:7f00:1]',
    '127.0.0.1.',
  ])('treats %s as loopback: refused, and allowed where loopback is granted', async (written) => {
    const { open, dialled, plain } = await world();
    const attempt = get(`http://${written}:${plain.port}/`, `${written}:${plain.port}`);
    const without = open({ network: ['http://api.example', `http://localhost:${plain.port}`] });
    expect(status(await raw(await proxyTo(without), attempt))).toBe('403');
    expect(dialled).toEqual([]);
    const granted = open({ network: [`http://127.0.0.1:${plain.port}`] });
    expect(status(await raw(await proxyTo(granted), attempt))).toBe('200');
    expect(dialled).toEqual([`127.0.0.1:${plain.port}`]);
  });

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

  test('returns a redirect as a response and checks the next request like any other', async () => {
    const redirecting = await httpServer((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    });
    const { open, dialled } = await testWorld({
      names: { 'api.example': [apiAddress] },
      servers: { [`${apiAddress}:80`]: redirecting.port },
    });
    const egress = open({ network: ['http://api.example'] });
    const first = await egress.request({
      method: 'GET',
      url: 'http://api.example/',
      headers: {},
      body: new Uint8Array(),
    });
    expect([first.status, first.headers['location']]).toEqual([302, 'http://169.254.169.254/latest']);
    await expect(
      egress.request({
        method: 'GET',
        url: 'http://169.254.169.254/latest',
        headers: {},
        body: new Uint8Array(),
      }),
    ).rejects.toMatchObject({ denial: { requested: '169.254.169.254:80' } });
    expect(dialled).toEqual([`${apiAddress}:80`]);
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

describe('rules with methods and paths', () => {
  const network = [
    { host: 'http://api.example', methods: ['GET', 'POST'], paths: ['/v1/**', '/twin'] },
  ] as const;
  test.each<[string, string]>([
    ['another method', get('http://api.example/v1/a', undefined, '', 'DELETE')],
    ['another path', get('http://api.example/v2/a')],
    ['a path with the granted path as prefix', get('http://api.example/v10')],
    ['dots', get('http://api.example/v1/../v2')],
    ['escaped dots', get('http://api.example/v1/%2e%2e/v2')],
    ['half escaped dots', get('http://api.example/v1/.%2E/v2')],
    ['dots before a semicolon', get('http://api.example/v1/..;/v2')],
    ['an escaped slash', get('http://api.example/v1/..%2fv2')],
    ['an escaped backslash', get('http://api.example/v1/..%5cv2')],
    ['an escaped escape', get('http://api.example/v1/%252e%252e/v2')],
    ['a path in another case', get('http://api.example/V1/a')],
    [
      'another method in a header',
      get('http://api.example/v1/a', undefined, 'X-HTTP-Method-Override: DELETE\r\n', 'POST'),
    ],
    ['another path in a header', get('http://api.example/v1/a', undefined, 'X-Original-URL: /v2\r\n')],
  ])('refuses %s', async (_, attempt) => {
    const { open, dialled } = await world();
    const egress = open({
      network: [...network].map((rule) => ({ ...rule, methods: [...rule.methods], paths: [...rule.paths] })),
    });
    expect(status(await raw(await proxyTo(egress), attempt))).toBe('403');
    expect(dialled).toEqual([]);
    expect(status(await raw(await proxyTo(egress), get('http://api.example/v1/%61?../..')))).toBe('200');
    await permitted(egress);
  });
});

describe('inside a tunnel', () => {
  const inspected: NetworkRule[] = [{ host: 'api.example', methods: ['GET', 'POST'] }];
  const origin = (host = 'api.example', more = ''): string =>
    `GET /twin HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;

  test.each<[string, string, string]>([
    ['a different Host header', origin('other.example'), '421'],
    ['another port in the Host header', origin('api.example:8443'), '421'],
    ['two Host headers', origin('api.example', 'Host: other.example\r\n'), '400'],
    ['the absolute form', get('http://other.example/', 'other.example'), '400'],
    ['the absolute form of the same host', get('https://api.example/'), '400'],
    ['a second CONNECT', get('other.example:443', 'api.example', '', 'CONNECT'), '405'],
    ['WebSocket', origin('api.example', 'Upgrade: websocket\r\n'), '501'],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['another method', origin().replace('GET', 'PUT'), '403'],
  ])('refuses %s if the tunnel is inspected', async (_, attempt, expected) => {
    const { egress, open, secure } = await world();
    const proxy = await proxyTo(open({ network: inspected }));
    const tls = { servername: 'api.example', ca: egress.authority };
    expect(status(await rawTls(proxy, 'api.example:443', tls, attempt))).toBe(expected);
    expect(secure.received).toEqual([]);
    expect(await rawTls(proxy, 'api.example:443', tls, origin())).toMatch(/reached GET \/twin/);
  });

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

  test('offers only HTTP/1.1 if the tunnel is inspected', async () => {
    const { open, secure } = await world();
    const proxy = await proxyTo(open({ network: inspected }));
    const ask = (ALPNProtocols: string[]): Promise<string> =>
      rawTls(proxy, 'api.example:443', { ...named('api.example'), ALPNProtocols }, origin());
    expect(await ask(['h2'])).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
    expect(secure.received).toEqual([]);
    expect(await ask(['h2', 'http/1.1'])).toMatch(/reached GET \/twin/);
  });

  test('refuses plain HTTP in a tunnel for TLS, and serves it where plain HTTP is granted', async () => {
    const { open, dialled, plain, secure } = await world();
    const closed = open({ network: ['api.example'] });
    const refused = await sendAndRead(await tunnelled(await proxyTo(closed), 'api.example:443'), origin());
    expect(refused).toMatch(/^HTTP\/1\.1 403 [\s\S]*is granted to this skill only for TLS/);
    expect([secure.received, plain.received]).toEqual([[], []]);
    const egress = open({ network: ['api.example:80'] });
    const proxy = await proxyTo(egress);
    expect(await sendAndRead(await tunnelled(proxy, 'api.example:80'), origin())).toMatch(
      /reached GET \/twin/,
    );
    expect(status(await sendAndRead(await tunnelled(proxy, 'api.example:80'), origin('other.example')))).toBe(
      '421',
    );
    expect(await rawTls(proxy, 'api.example:80', named('api.example'), origin())).toBe(
      'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
    );
    expect(dialled).toEqual([`${apiAddress}:443`, `${apiAddress}:80`]);
  });

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
