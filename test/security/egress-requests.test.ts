// Threat model: T89, T194

import { describe, expect, test } from 'vitest';
import { firstCaller } from './support/callers.ts';
import { type Exchange, type Row, request, testExchanges } from './support/egress/exchanges.ts';

/**
 * Requests to a proxy without a tunnel. All are ports of 127.0.0.1; `granted` is granted, `limited` only below
 * `/permitted`, and `other` not at all.
 */
function rows({ granted, other, limited }: Record<'granted' | 'other' | 'limited', number>): Row[] {
  const [there, elsewhere] = [`127.0.0.1:${granted}`, `127.0.0.1:${other}`];
  const below = (path: string): Exchange => get(`http://127.0.0.1:${limited}${path}`);
  const notGranted = { statuses: [403], denied: `network ${elsewhere}` };
  const unreadable = { statuses: [400] };
  const get = (url: string, ...headers: string[]): Exchange => ({ send: request(`GET ${url}`, headers) });
  const post = (headers: string[], body: string): Exchange => ({
    send: request(`POST http://${there}/forbidden`, headers, body),
  });
  const spelled = (host: string, got: unknown, reaches = true): Row => [
    `127.0.0.1, spelled ${JSON.stringify(host)}`,
    get(`http://${host}:${other}/forbidden`),
    got,
    get(`http://${reaches ? host : '127.0.0.1'}:${granted}/permitted`),
  ];
  const smuggled = request(`GET http://${elsewhere}/forbidden`);
  return [
    ['another port', get(`http://${elsewhere}/forbidden`), notGranted],
    ['no port', get('http://127.0.0.1/forbidden'), { statuses: [403], denied: 'network 127.0.0.1:80' }],

    // Paths that differ from the granted ones.
    ...[
      '/forbidden',
      '/permitted/../forbidden',
      '/%66orbidden',
      '/permitted/%2e%2e/forbidden',
      '/permitted/.%2E/forbidden',
    ].map(
      (path): Row => [
        `another path, ${path}`,
        below(path),
        { statuses: [403], denied: `network 127.0.0.1:${limited}` },
        below('/%70ermitted?../..'),
      ],
    ),

    // Host confusion.
    ['the granted host as user-info', get(`http://${there}@${elsewhere}/forbidden`), unreadable],
    ['user-info with a password', get(`http://u:p@${there}/forbidden`), unreadable],
    ['empty user-info', get(`http://@${there}/forbidden`), unreadable],
    ['a backslash before user-info', get(`http://${there}\\@${elsewhere}/forbidden`), unreadable],
    ['a fragment before user-info', get(`http://${elsewhere}#@${there}/forbidden`), unreadable],
    ['a query before user-info', get(`http://${elsewhere}?@${there}/forbidden`), notGranted],
    ['an escaped colon', get(`http://127.0.0.1%3A${other}/forbidden`), unreadable],
    ['an escaped NUL', get(`http://127.0.0.1%00.example:${other}/forbidden`), unreadable],
    ['a NUL', get(`http://127.0.0.1\0.example:${other}/forbidden`), unreadable],
    ['a tab in the host', get(`http://127.0.0.1\t:${other}/forbidden`), unreadable],
    ['two ports', get(`http://${there}:${other}/forbidden`), unreadable],
    ['a port out of range', get(`http://127.0.0.1:${granted + 65_536}/forbidden`), unreadable],
    ['a port with a sign', get(`http://127.0.0.1:+${granted}/forbidden`), unreadable],
    ['no host', get('http:///forbidden'), unreadable],

    // Request forms.
    ['a path with the other host in Host', get('/forbidden', `Host: ${elsewhere}`), unreadable],
    ['a path with the granted host in Host', get('/forbidden', `Host: ${there}`), unreadable],
    ['no scheme', get(`//${elsewhere}/forbidden`, `Host: ${there}`), unreadable],
    ['TLS without a tunnel', get(`https://${there}/forbidden`), unreadable],
    ...[
      'file:///etc/passwd',
      `ftp://${there}/forbidden`,
      `gopher://${there}/forbidden`,
      `ws://${there}/forbidden`,
    ].map((url): Row => [`another scheme, ${url.split(':')[0]}`, get(url), unreadable]),
    [
      'HTTP/0.9',
      { send: `GET http://${elsewhere}/forbidden\r\n\r\n` },
      notGranted,
      { send: `GET http://${there}/permitted\r\n\r\n` },
    ],
    ['HTTP/2 without a tunnel', { send: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }, unreadable],

    // Host header confusion.
    [
      'another Host than in the URL',
      get(`http://${there}/forbidden`, `Host: ${elsewhere}`),
      { statuses: [421], denied: `network ${elsewhere}` },
    ],
    [
      'the granted Host, and another URL',
      get(`http://${elsewhere}/forbidden`, `Host: ${there}`),
      { statuses: [421], denied: `network ${there}` },
    ],
    ['no Host', { send: `GET http://${there}/forbidden HTTP/1.1\r\n\r\n` }, unreadable],
    ['two Hosts', get(`http://${there}/forbidden`, `Host: ${there}`, `Host: ${elsewhere}`), unreadable],
    ['a Host with user-info', get(`http://${there}/forbidden`, `Host: ${there}@${elsewhere}`), unreadable],
    ['a Host after a space', get(`http://${there}/forbidden`, `Host : ${elsewhere}`), unreadable],

    // Request framing.
    ['two lengths', post(['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled), unreadable],
    ['a list of lengths', post([`Content-Length: 0, ${smuggled.length}`], smuggled), unreadable],
    ['a length with a sign', post(['Content-Length: +0'], ''), unreadable],
    ['a length in hexadecimal', post(['Content-Length: 0x0'], ''), unreadable],
    [
      'a length and chunks',
      post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
      unreadable,
    ],
    [
      'chunks and a length',
      post(['Transfer-Encoding: chunked', 'Content-Length: 5'], `0\r\n\r\n${smuggled}`),
      unreadable,
    ],
    [
      'a coding after the chunks',
      post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
      unreadable,
    ],
    [
      'an unknown coding',
      post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
      // Invalid data after a request.
      expect.toBeOneOf([{ statuses: [400] }, { statuses: [400, 400] }]),
    ],
    [
      'chunks after a space',
      post(['Transfer-Encoding : chunked', 'Content-Length: 0'], `0\r\n\r\n${smuggled}`),
      unreadable,
    ],
    ['a size that is not a number', post(['Transfer-Encoding: chunked'], `g\r\n\r\n${smuggled}`), unreadable],
    [
      'a size too large for a number',
      post(['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n\r\n${smuggled}`),
      unreadable,
    ],
    [
      'a line that ends in LF only',
      { send: `GET http://${there}/forbidden HTTP/1.1\nHost: ${there}\n\n` },
      unreadable,
    ],
    [
      'a header that ends in CR only',
      get(`http://${there}/forbidden`, `A: b\rHost: ${elsewhere}`),
      unreadable,
    ],
    ['a NUL in a header', get(`http://${there}/forbidden`, 'A: b\0c'), unreadable],
    [
      'another request after a permitted one',
      {
        send: `GET http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\n\r\n${request(`GET http://${elsewhere}/forbidden`)}`,
      },
      { statuses: [200, 403], denied: `network ${elsewhere}` },
      {
        send: `GET http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\n\r\n${request(`GET http://${there}/permitted`)}`,
      },
      { statuses: [200, 200] },
    ],

    // Other protocols.
    [
      'a WebSocket',
      {
        send: `GET http://${there}/forbidden HTTP/1.1\r\nHost: ${there}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      },
      { statuses: [501] },
    ],
    [
      'an upgrade to HTTP/2',
      {
        send: `GET http://${there}/forbidden HTTP/1.1\r\nHost: ${there}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
      },
      { statuses: [501] },
    ],
    ['TRACE', { send: request(`TRACE http://${there}/forbidden`) }, { statuses: [405] }],

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
    [
      'a header of 200 KB',
      get(`http://${there}/forbidden`, `A: ${'x'.repeat(200_000)}`),
      { statuses: [431] },
      get(`http://${there}/permitted`, `A: ${'x'.repeat(8000)}`),
    ],
    [
      'a thousand headers',
      get(`http://${there}/forbidden`, ...Array.from({ length: 1000 }, (_, at) => `A${at}: b`)),
      { statuses: [431] },
      get(`http://${there}/permitted`, ...Array.from({ length: 100 }, (_, at) => `A${at}: b`)),
    ],
    ['a URL of 200 KB', get(`http://${there}/forbidden${'x'.repeat(200_000)}`), { statuses: [431] }],
    ['a connection without data', { send: '' }, { statuses: [] }],
    ['an endless request', { send: `GET http://${there}/forbidden HTTP/1.1\r\nA: b` }, { statuses: [] }],
    [
      'a body that is too large',
      {
        send: `POST http://${there}/permitted HTTP/1.1\r\nHost: ${there}\r\nContent-Length: ${2 ** 30}\r\n\r\n`,
      },
      { statuses: [413] },
      { send: request(`POST http://${there}/permitted`, ['Content-Length: 5'], 'hello') },
    ],
  ];
}

describe.each(firstCaller)('as $name', (caller) => {
  const { servers } = testExchanges(
    'the proxy handles the request as expected, and its permitted twin succeeds: %s',
    caller,
    {
      servings: { granted: {}, other: {}, limited: {} },
      rows,
      granted: ({ granted, limited }) => ({
        network: [
          `http://127.0.0.1:${granted}`,
          { host: `http://127.0.0.1:${limited}`, paths: ['/permitted', '/permitted/**'] },
        ],
      }),
      permitted: ({ granted }) => ({ send: request(`GET http://127.0.0.1:${granted}/permitted`) }),
    },
  );

  test('no refused request has reached a server', () => {
    const { granted, other, limited } = servers;
    expect({
      granted: granted.heard.filter((line) => !line.endsWith(' /permitted')),
      other: other.connections(),
      limited: new Set(limited.heard),
    }).toEqual({ granted: [], other: 0, limited: new Set(['GET /%70ermitted?../..']) });
  });
});
