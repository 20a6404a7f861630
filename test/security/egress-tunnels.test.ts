// Threat model: T90, T194, T197

import { describe, expect, test } from 'vitest';
import { lastCaller } from './support/callers.ts';
import { type Exchange, type Row, request, testExchanges } from './support/egress/exchanges.ts';
import type { WebServer } from './support/egress/servers.ts';

/** Ports of 127.0.0.1. */
interface Ports {
  /** Granted for plain HTTP. */
  plain: number;
  /** Granted for TLS without inspection. */
  closed: number;
  /** Granted for TLS, for `GET /permitted` and below only: the egress proxy terminates TLS. */
  opened: number;
  /** Not granted: one for plain HTTP, one for TLS. */
  other: number;
  otherSecure: number;
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
const refusedName = 'TLSV1_UNRECOGNIZED_NAME';
// A reset may arrive before the alert.
const noCommonProtocol = { broke: expect.any(String) };

function rows({ plain, closed, opened, other, otherSecure }: Ports): Row[] {
  const at = (port: number): string => `127.0.0.1:${port}`;
  const denied = (port: number): unknown => ({ statuses: [403], denied: `network ${at(port)}` });
  const misdirected = (port: number): unknown => ({ statuses: [421], denied: `network ${at(port)}` });
  const unreadable = { statuses: [400] };
  const get = (path: string, port: number, ...headers: string[]): string =>
    request(`GET ${path}`, [`Host: ${at(port)}`, ...headers]);
  const throughPlain = (send: string): Exchange => ({ connect: at(plain), send });
  const throughClosed = (send: string, tls = {}): Exchange => ({ connect: at(closed), tls, send });
  const throughOpened = (send: string, tls = {}): Exchange => ({ connect: at(opened), tls, send });
  const permitted = {
    plain: throughPlain(get('/permitted', plain)),
    closed: throughClosed(get('/permitted', closed)),
    opened: throughOpened(get('/permitted', opened)),
  };
  /** Attacks that have this permitted twin in common. */
  const beside = (twin: keyof typeof permitted, attacks: [string, Exchange, unknown][]): Row[] =>
    attacks.map((attack) => [...attack, permitted[twin]]);
  const forbidden = get('/forbidden', other);
  const tunnel = `CONNECT ${at(other)} HTTP/1.1\r\nHost:`;
  const path = (written: string, got: unknown): Row => [
    `another path, ${JSON.stringify(written)}`,
    throughOpened(get(written, opened)),
    got,
    throughOpened(get('/permitted/below?a=/../b', opened)),
  ];
  return [
    ...beside('plain', [
      // Tunnel targets.
      ['a tunnel to another port', { connect: at(other), send: forbidden }, denied(other)],
      ...[
        'GRANTED@OTHER',
        'u:p@GRANTED',
        'http://GRANTED',
        'GRANTED/',
        'GRANTED/@OTHER',
        '127.0.0.1',
        '127.0.0.1:',
        '127.0.0.1:0',
        '127.0.0.1:99999',
        '127.0.0.1:+443',
        '127.0.0.1:0x1bb',
        '127.0.0.1\0.GRANTED',
        '127.0.0.1%00.GRANTED',
        '*.GRANTED',
        '[::ffff:127.0.0.1%25lo]:443',
        ':443',
      ].map((written): [string, Exchange, unknown] => {
        const connect = written.replace('GRANTED', at(plain)).replace('OTHER', at(other));
        return [
          `a tunnel to ${JSON.stringify(written)}`,
          { connect, send: get('/forbidden', plain) },
          unreadable,
        ];
      }),
      [
        'a tunnel to another port with the granted Host beside it',
        { send: `${tunnel} ${at(plain)}\r\n\r\n` },
        denied(other),
      ],

      // Protocols inside the tunnel.
      ['another Host in a tunnel', throughPlain(get('/forbidden', other)), misdirected(other)],
      ['a URL in a tunnel', throughPlain(request(`GET http://${at(other)}/forbidden`)), unreadable],
      [
        'a URL in a tunnel, with the tunnel’s target',
        throughPlain(request(`GET http://${at(plain)}/forbidden`)),
        unreadable,
      ],
      [
        'a tunnel in a tunnel',
        throughPlain(`${tunnel} ${at(other)}\r\n\r\n${forbidden}`),
        { statuses: [405] },
      ],
      [
        'a tunnel in a tunnel, to the proxy itself',
        { connect: '127.0.0.1:3128', send: forbidden },
        denied(3128),
      ],
      ['HTTP/2 in a tunnel', throughPlain(preface), unreadable],
      [
        'TLS where plain HTTP is granted',
        { connect: at(plain), tls: {}, send: forbidden },
        { broke: 'TLSV1_ALERT_ACCESS_DENIED' },
      ],
      ['SSH where plain HTTP is granted', throughPlain('SSH-2.0-OpenSSH_9.9\r\n\r\n'), unreadable],
      [
        'two lengths in a tunnel',
        throughPlain(
          request(
            'POST /forbidden',
            [`Host: ${at(plain)}`, 'Content-Length: 0', `Content-Length: ${forbidden.length}`],
            forbidden,
          ),
        ),
        unreadable,
      ],
    ]),
    ...['0177.1', '0x7f000001', '2130706433', '[::ffff:7f00:1]', '127.0.0.1.'].map(
      (host): Row => [
        `a tunnel to another port of ${host}`,
        { connect: `${host}:${other}`, send: forbidden },
        denied(other),
        { connect: `${host}:${plain}`, send: get('/permitted', plain) },
      ],
    ),

    ...beside('closed', [
      [
        'a tunnel to another port, for TLS',
        { connect: at(otherSecure), tls: {}, send: forbidden },
        denied(otherSecure),
      ],
      ['HTTP/2 in a tunnel for TLS, without TLS', { connect: at(closed), send: preface }, denied(closed)],
      [
        'plain HTTP where TLS is granted',
        { connect: at(closed), send: get('/forbidden', closed) },
        denied(closed),
      ],
      ['SSH where TLS is granted', { connect: at(closed), send: 'SSH-2.0-OpenSSH_9.9\r\n' }, denied(closed)],
      [
        'invalid TLS',
        { connect: at(closed), send: '\x16\x03\x01\0\x04\x01\0\0\0\x16\x03\x01' },
        { statuses: [] },
      ],
    ]),

    ...beside('opened', [
      [
        'plain HTTP where inspected TLS is granted',
        { connect: at(opened), send: get('/permitted', opened) },
        denied(opened),
      ],
      [
        'a length and chunks in a tunnel',
        throughOpened(
          request(
            'GET /permitted',
            [`Host: ${at(opened)}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
            `0\r\n\r\n${forbidden}`,
          ),
        ),
        unreadable,
      ],
      [
        'a WebSocket in a tunnel',
        throughOpened(
          `GET /permitted HTTP/1.1\r\nHost: ${at(opened)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
        ),
        { statuses: [501] },
      ],
      ['another Host over TLS', throughOpened(get('/permitted', other)), misdirected(other)],
      ['no Host over TLS', throughOpened('GET /permitted HTTP/1.1\r\n\r\n'), unreadable],
      ['HTTP/2 over TLS, not negotiated', throughOpened(preface), unreadable],
      ['a tunnel within TLS', throughOpened(`${tunnel} ${at(other)}\r\n\r\n`), { statuses: [405] }],
      [
        'another method',
        throughOpened(request('POST /permitted', [`Host: ${at(opened)}`, 'Content-Length: 0'])),
        denied(opened),
      ],
      [
        'another method, in lower case',
        throughOpened(`get /permitted HTTP/1.1\r\nHost: ${at(opened)}\r\n\r\n`),
        unreadable,
      ],
    ]),
    [
      'HTTP/2 over TLS, negotiated',
      throughOpened(preface, { protocols: ['h2'] }),
      noCommonProtocol,
      throughOpened(get('/permitted', opened), { protocols: ['h2', 'http/1.1'] }),
    ],

    // TLS server names.
    ...['evil.example', 'localhost', '127.0.0.1.evil.example'].flatMap((serverName) => {
      const got = { broke: refusedName };
      const named = `TLS that names ${serverName}`;
      return [
        ...beside('closed', [
          [`${named}, in an uninspected tunnel`, throughClosed(forbidden, { serverName }), got],
        ]),
        ...beside('opened', [
          [`${named}, in an inspected tunnel`, throughOpened(forbidden, { serverName }), got],
        ]),
      ];
    }),

    // Grants for a path or method.
    ...[
      'X-HTTP-Method-Override: DELETE',
      'X-Method-Override: DELETE',
      'X-HTTP-Method: DELETE',
      'X-Original-URL: /forbidden',
      'X-Rewrite-URL: /forbidden',
    ].map(
      (header): Row => [
        `another method or path, with ${header}`,
        throughOpened(get('/permitted', opened, header)),
        denied(opened),
        throughOpened(get('/permitted', opened, 'X-Other: DELETE')),
      ],
    ),
    ...[
      '/forbidden',
      '/permitted2',
      '/PERMITTED',
      '/',
      '/permitted/../forbidden',
      '/permitted/%2e%2e/forbidden',
      '/permitted/.%2E/forbidden',
      '/permitted/%2e./forbidden',
      '/permitted/..%2fforbidden',
      '/permitted/%2E%2E%5Cforbidden',
      '/permitted//forbidden',
      '//permitted',
      '/permitted/..;/forbidden',
      '/permitted/%252e%252e/forbidden',
      '/permitted\\..\\forbidden',
      '/permitted/%00',
    ].map((written) => path(written, denied(opened))),
    path('*', unreadable),
  ];
}

describe.each(lastCaller)('as $name', (caller) => {
  const secure = { secure: true };
  const { servers } = testExchanges(
    'the tunnel ends as expected, and its permitted twin succeeds: %s',
    caller,
    {
      servings: { plain: {}, closed: secure, opened: secure, other: {}, otherSecure: secure },
      rows,
      granted: ({ plain, closed, opened }) => ({
        network: [
          `http://127.0.0.1:${plain}`,
          `127.0.0.1:${closed}`,
          { host: `127.0.0.1:${opened}`, methods: ['GET'], paths: ['/permitted', '/permitted/**'] },
        ],
      }),
    },
  );

  test('no refused request has reached a server', () => {
    const forbidden = ({ heard }: WebServer): string[] =>
      heard.filter((line) => !/^GET \/permitted(?:\/below\?a=\/\.\.\/b)?$/.test(line));
    const { plain, closed, opened, other, otherSecure } = servers;
    expect({
      granted: [plain, closed, opened].flatMap(forbidden),
      others: other.connections() + otherSecure.connections(),
    }).toEqual({ granted: [], others: 0 });
  });
});
