// Threat model: T89, T194

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding, Stage } from './support/attacker.ts';
import { firstCaller } from './support/callers.ts';
import { type Exchange, exchanges, type Row, request, stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServer } from './support/egress/servers.ts';

/**
 * Requests to a proxy without a tunnel. All are ports of 127.0.0.1; `granted` is granted, `limited` only below
 * `/permitted`, and `other` not at all.
 */
function rows(granted: number, other: number, limited: number): Row[] {
  const [there, elsewhere] = [`127.0.0.1:${granted}`, `127.0.0.1:${other}`];
  const below = (path: string): Exchange => get(`http://127.0.0.1:${limited}${path}`);
  const notGranted = { statuses: [403], denied: `network ${elsewhere}` };
  const unreadable = { statuses: [400] };
  const get = (url: string, ...headers: string[]): Exchange => ({ send: request(`GET ${url}`, headers) });
  const post = (headers: string[], body: string): Exchange => ({
    send: request(`POST http://${there}/forbidden`, headers, body),
  });
  const spelled = (host: string, got: unknown, reaches = true): Row => ({
    name: `127.0.0.1, spelled ${JSON.stringify(host)}`,
    attack: get(`http://${host}:${other}/forbidden`),
    got,
    permitted: get(`http://${reaches ? host : '127.0.0.1'}:${granted}/permitted`),
  });
  const smuggled = request(`GET http://${elsewhere}/forbidden`);
  return [
    { name: 'another port', attack: get(`http://${elsewhere}/forbidden`), got: notGranted },
    {
      name: 'no port',
      attack: get('http://127.0.0.1/forbidden'),
      got: { statuses: [403], denied: 'network 127.0.0.1:80' },
    },

    // Paths that differ from the granted ones.
    ...['/forbidden', '/permitted/../forbidden', '/%66orbidden', '/permitted/%2e%2e/forbidden'].map(
      (path): Row => ({
        name: `another path, ${path}`,
        attack: below(path),
        got: { statuses: [403], denied: `network 127.0.0.1:${limited}` },
        permitted: below('/%70ermitted?../..'),
      }),
    ),

    // Host confusion.
    {
      name: 'the granted host as user-info',
      attack: get(`http://${there}@${elsewhere}/forbidden`),
      got: unreadable,
    },
    { name: 'user-info with a password', attack: get(`http://u:p@${there}/forbidden`), got: unreadable },
    { name: 'empty user-info', attack: get(`http://@${there}/forbidden`), got: unreadable },
    {
      name: 'a backslash before user-info',
      attack: get(`http://${there}\\@${elsewhere}/forbidden`),
      got: unreadable,
    },
    {
      name: 'a fragment before user-info',
      attack: get(`http://${elsewhere}#@${there}/forbidden`),
      got: unreadable,
    },
    {
      name: 'a query before user-info',
      attack: get(`http://${elsewhere}?@${there}/forbidden`),
      got: notGranted,
    },
    { name: 'an escaped colon', attack: get(`http://127.0.0.1%3A${other}/forbidden`), got: unreadable },
    {
      name: 'an escaped NUL',
      attack: get(`http://127.0.0.1%00.example:${other}/forbidden`),
      got: unreadable,
    },
    { name: 'a NUL', attack: get(`http://127.0.0.1\0.example:${other}/forbidden`), got: unreadable },
    { name: 'a tab in the host', attack: get(`http://127.0.0.1\t:${other}/forbidden`), got: unreadable },
    { name: 'two ports', attack: get(`http://${there}:${other}/forbidden`), got: unreadable },
    {
      name: 'a port out of range',
      attack: get(`http://127.0.0.1:${granted + 65_536}/forbidden`),
      got: unreadable,
    },
    { name: 'a port with a sign', attack: get(`http://127.0.0.1:+${granted}/forbidden`), got: unreadable },
    { name: 'no host', attack: get('http:///forbidden'), got: unreadable },

    // Request forms.
    {
      name: 'a path with the other host in Host',
      attack: get('/forbidden', `Host: ${elsewhere}`),
      got: unreadable,
    },
    {
      name: 'a path with the granted host in Host',
      attack: get('/forbidden', `Host: ${there}`),
      got: unreadable,
    },
    { name: 'no scheme', attack: get(`//${elsewhere}/forbidden`, `Host: ${there}`), got: unreadable },
    { name: 'TLS without a tunnel', attack: get(`https://${there}/forbidden`), got: unreadable },
    ...[
      'file:///etc/passwd',
      `ftp://${there}/forbidden`,
      `gopher://${there}/forbidden`,
      `ws://${there}/forbidden`,
    ].map(
      (url): Row => ({ name: `another scheme, ${url.split(':')[0]}`, attack: get(url), got: unreadable }),
    ),
    {
      name: 'HTTP/0.9',
      attack: { send: `GET http://${elsewhere}/forbidden\r\n\r\n` },
      got: notGranted,
      permitted: { send: `GET http://${there}/permitted\r\n\r\n` },
    },
    {
      name: 'HTTP/2 without a tunnel',
      attack: { send: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
      got: unreadable,
    },

    // Host header confusion.
    {
      name: 'another Host than in the URL',
      attack: get(`http://${there}/forbidden`, `Host: ${elsewhere}`),
      got: { statuses: [421], denied: `network ${elsewhere}` },
    },
    {
      name: 'the granted Host, and another URL',
      attack: get(`http://${elsewhere}/forbidden`, `Host: ${there}`),
      got: { statuses: [421], denied: `network ${there}` },
    },
    { name: 'no Host', attack: { send: `GET http://${there}/forbidden HTTP/1.1\r\n\r\n` }, got: unreadable },
    {
      name: 'two Hosts',
      attack: get(`http://${there}/forbidden`, `Host: ${there}`, `Host: ${elsewhere}`),
      got: unreadable,
    },
    {
      name: 'a Host with user-info',
      attack: get(`http://${there}/forbidden`, `Host: ${there}@${elsewhere}`),
      got: unreadable,
    },
    {
      name: 'a Host after a space',
      attack: get(`http://${there}/forbidden`, `Host : ${elsewhere}`),
      got: unreadable,
    },

    // Request framing.
    {
      name: 'two lengths',
      attack: post(['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled),
      got: unreadable,
    },
    {
      name: 'a list of lengths',
      attack: post([`Content-Length: 0, ${smuggled.length}`], smuggled),
      got: unreadable,
    },
    { name: 'a length with a sign', attack: post(['Content-Length: +0'], ''), got: unreadable },
    { name: 'a length in hexadecimal', attack: post(['Content-Length: 0x0'], ''), got: unreadable },
    {
      name: 'a length and chunks',
      attack: post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'chunks and a length',
      attack: post(['Transfer-Encoding: chunked', 'Content-Length: 5'], `0\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'a coding after the chunks',
      attack: post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'an unknown coding',
      attack: post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
      // Invalid data after a request.
      got: expect.toBeOneOf([{ statuses: [400] }, { statuses: [400, 400] }]),
    },
    {
      name: 'chunks after a space',
      attack: post(['Transfer-Encoding : chunked', 'Content-Length: 0'], `0\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'a size that is not a number',
      attack: post(['Transfer-Encoding: chunked'], `g\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'a size too large for a number',
      attack: post(['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n\r\n${smuggled}`),
      got: unreadable,
    },
    {
      name: 'a line that ends in LF only',
      attack: { send: `GET http://${there}/forbidden HTTP/1.1\nHost: ${there}\n\n` },
      got: unreadable,
    },
    {
      name: 'a header that ends in CR only',
      attack: get(`http://${there}/forbidden`, `A: b\rHost: ${elsewhere}`),
      got: unreadable,
    },
    { name: 'a NUL in a header', attack: get(`http://${there}/forbidden`, 'A: b\0c'), got: unreadable },
    {
      name: 'another request after a permitted one',
      attack: {
        send: `GET http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\n\r\n${request(`GET http://${elsewhere}/forbidden`)}`,
      },
      got: { statuses: [200, 403], denied: `network ${elsewhere}` },
      permitted: {
        send: `GET http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\n\r\n${request(`GET http://${there}/permitted`)}`,
      },
      permittedGot: { statuses: [200, 200] },
    },

    // Other protocols.
    {
      name: 'a WebSocket',
      attack: {
        send: `GET http://${there}/forbidden HTTP/1.1\r\nHost: ${there}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      },
      got: { statuses: [501] },
    },
    {
      name: 'an upgrade to HTTP/2',
      attack: {
        send: `GET http://${there}/forbidden HTTP/1.1\r\nHost: ${there}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
      },
      got: { statuses: [501] },
    },
    { name: 'TRACE', attack: { send: request(`TRACE http://${there}/forbidden`) }, got: { statuses: [405] } },

    // Unusual spellings of the same address. If it parses as that address, the granted port is
    // reachable by it too.
    ...[
      '0177.0.0.1',
      '0x7f.0.0.1',
      '0x7f000001',
      '2130706433',
      '127.1',
      '127.0.0.1.',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
    ].map((host) => spelled(host, notGranted)),
    ...['localhost', 'LOCALHOST.', '[::1]'].map((host) =>
      spelled(
        host,
        { statuses: [403], denied: `network ${host.toLowerCase().replace(/\.$/, '')}:${other}` },
        false,
      ),
    ),
    ...['127.0.0.1..', '1②7.0.0.1', '127.0.0.256', '[::ffff:127.0.0.1%25lo]', '127。0。0。1'].map((host) =>
      spelled(Buffer.from(host).toString('latin1'), unreadable, false),
    ),

    // Oversized and slow requests.
    {
      name: 'a header of 200 KB',
      attack: get(`http://${there}/forbidden`, `A: ${'x'.repeat(200_000)}`),
      got: { statuses: [431] },
      permitted: get(`http://${there}/permitted`, `A: ${'x'.repeat(8000)}`),
    },
    {
      name: 'a thousand headers',
      attack: get(`http://${there}/forbidden`, ...Array.from({ length: 1000 }, (_, at) => `A${at}: b`)),
      got: { statuses: [431] },
      permitted: get(`http://${there}/permitted`, ...Array.from({ length: 100 }, (_, at) => `A${at}: b`)),
    },
    {
      name: 'a URL of 200 KB',
      attack: get(`http://${there}/forbidden${'x'.repeat(200_000)}`),
      got: { statuses: [431] },
    },
    { name: 'a connection without data', attack: { send: '' }, got: { statuses: [] } },
    {
      name: 'an endless request',
      attack: { send: `GET http://${there}/forbidden HTTP/1.1\r\nA: b` },
      got: { statuses: [] },
    },
    {
      name: 'a body that is too large',
      attack: {
        send: `POST http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\nContent-Length: ${2 ** 30}\r\n\r\n`,
      },
      got: { statuses: [413] },
      permitted: { send: request(`POST http://${there}/permitted`, ['Content-Length: 5'], 'hello') },
    },
  ];
}

describe.each(firstCaller)('as $name', (caller) => {
  let ground: Stage;
  let found: Record<string, Finding>;
  let [granted, other, limited]: WebServer[] = [];
  let table: Row[] = [];

  beforeAll(async () => {
    ground = await stageOnline(caller);
    [granted, other, limited] = [await webServer(), await webServer(), await webServer()];
    table = rows(granted.port, other.port, limited.port);
    const there = `http://127.0.0.1:${granted.port}`;
    const paths = { host: `http://127.0.0.1:${limited.port}`, paths: ['/permitted', '/permitted/**'] };
    const permitted = { send: request(`GET ${there}/permitted`) };
    ({ found } = await exchanges(ground, { network: [there, paths] }, table, permitted));
  });
  afterAll(async () => {
    granted?.close();
    other?.close();
    limited?.close();
    await ground.close();
  });

  test.each(rows(1, 2, 3).map(({ name }, index) => [name, index] as const))(
    'the proxy handles the request as expected, and its permitted twin succeeds: %s',
    (name, index) => {
      const { got, permittedGot = { statuses: [200] } } = table[index] as Row;
      expect(found[name]).toEqual({ attack: got, permitted: permittedGot });
    },
  );

  test('no refused request has reached a server', () => {
    expect({
      granted: granted?.heard.filter((line) => !line.endsWith(' /permitted')),
      other: other?.connections(),
      limited: new Set(limited?.heard),
    }).toEqual({ granted: [], other: 0, limited: new Set(['GET /%70ermitted?../..']) });
  });
});
