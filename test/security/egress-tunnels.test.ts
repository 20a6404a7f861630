// Threat model: T90, T194, T197

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding, Stage } from './support/attacker.ts';
import { lastCaller } from './support/callers.ts';
import { type Exchange, exchanges, type Row, request, stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServer } from './support/egress/servers.ts';

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
/** Python has no names for some alerts. */
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
  const forbidden = get('/forbidden', other);
  const path = (written: string, got: unknown): Row => ({
    name: `another path, ${JSON.stringify(written)}`,
    attack: throughOpened(get(written, opened)),
    got,
    permitted: throughOpened(get('/permitted/below?a=/../b', opened)),
  });
  return [
    // Tunnel targets.
    {
      name: 'a tunnel to another port',
      attack: { connect: at(other), send: forbidden },
      got: denied(other),
      permitted: permitted.plain,
    },
    {
      name: 'a tunnel to another port, for TLS',
      attack: { connect: at(otherSecure), tls: {}, send: forbidden },
      got: denied(otherSecure),
      permitted: permitted.closed,
    },
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
    ].map(
      (written): Row => ({
        name: `a tunnel to ${JSON.stringify(written)}`,
        attack: {
          connect: written.replace('GRANTED', at(plain)).replace('OTHER', at(other)),
          send: get('/forbidden', plain),
        },
        got: unreadable,
        permitted: permitted.plain,
      }),
    ),
    ...['0177.1', '0x7f000001', '2130706433', '[::ffff:7f00:1]', '127.0.0.1.'].map(
      (host): Row => ({
        name: `a tunnel to another port of ${host}`,
        attack: { connect: `${host}:${other}`, send: forbidden },
        got: denied(other),
        permitted: { connect: `${host}:${plain}`, send: get('/permitted', plain) },
      }),
    ),
    {
      name: 'a tunnel to another port with the granted Host beside it',
      attack: { send: `CONNECT ${at(other)} HTTP/1.1\r\nHost: ${at(plain)}\r\n\r\n` },
      got: denied(other),
      permitted: permitted.plain,
    },

    // Protocols inside the tunnel.
    {
      name: 'another Host in a tunnel',
      attack: throughPlain(get('/forbidden', other)),
      got: misdirected(other),
      permitted: permitted.plain,
    },
    {
      name: 'a URL in a tunnel',
      attack: throughPlain(request(`GET http://${at(other)}/forbidden`)),
      got: unreadable,
      permitted: permitted.plain,
    },
    {
      name: 'a URL in a tunnel, with the tunnel’s target',
      attack: throughPlain(request(`GET http://${at(plain)}/forbidden`)),
      got: unreadable,
      permitted: permitted.plain,
    },
    {
      name: 'a tunnel in a tunnel',
      attack: throughPlain(`CONNECT ${at(other)} HTTP/1.1\r\nHost: ${at(other)}\r\n\r\n${forbidden}`),
      got: { statuses: [405] },
      permitted: permitted.plain,
    },
    {
      name: 'a tunnel in a tunnel, to the proxy itself',
      attack: { connect: '127.0.0.1:3128', send: forbidden },
      got: denied(3128),
      permitted: permitted.plain,
    },
    {
      name: 'HTTP/2 in a tunnel',
      attack: throughPlain(preface),
      got: unreadable,
      permitted: permitted.plain,
    },
    {
      name: 'HTTP/2 in a tunnel for TLS, without TLS',
      attack: { connect: at(closed), send: preface },
      got: denied(closed),
      permitted: permitted.closed,
    },
    {
      name: 'plain HTTP where TLS is granted',
      attack: { connect: at(closed), send: get('/forbidden', closed) },
      got: denied(closed),
      permitted: permitted.closed,
    },
    {
      name: 'plain HTTP where inspected TLS is granted',
      attack: { connect: at(opened), send: get('/permitted', opened) },
      got: denied(opened),
      permitted: permitted.opened,
    },
    {
      name: 'SSH where TLS is granted',
      attack: { connect: at(closed), send: 'SSH-2.0-OpenSSH_9.9\r\n' },
      got: denied(closed),
      permitted: permitted.closed,
    },
    {
      name: 'TLS where plain HTTP is granted',
      attack: { connect: at(plain), tls: {}, send: forbidden },
      got: { broke: 'TLSV1_ALERT_ACCESS_DENIED' },
      permitted: permitted.plain,
    },
    {
      name: 'SSH where plain HTTP is granted',
      attack: throughPlain('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
      got: unreadable,
      permitted: permitted.plain,
    },
    {
      name: 'two lengths in a tunnel',
      attack: throughPlain(
        request(
          'POST /forbidden',
          [`Host: ${at(plain)}`, 'Content-Length: 0', `Content-Length: ${forbidden.length}`],
          forbidden,
        ),
      ),
      got: unreadable,
      permitted: permitted.plain,
    },
    {
      name: 'a length and chunks in a tunnel',
      attack: throughOpened(
        request(
          'GET /permitted',
          [`Host: ${at(opened)}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
          `0\r\n\r\n${forbidden}`,
        ),
      ),
      got: unreadable,
      permitted: permitted.opened,
    },
    {
      name: 'a WebSocket in a tunnel',
      attack: throughOpened(
        `GET /permitted HTTP/1.1\r\nHost: ${at(opened)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      ),
      got: { statuses: [501] },
      permitted: permitted.opened,
    },

    // TLS server names.
    ...['evil.example', 'localhost', '127.0.0.1.evil.example'].flatMap((serverName): Row[] => [
      {
        name: `TLS that names ${serverName}, in an uninspected tunnel`,
        attack: throughClosed(forbidden, { serverName }),
        got: { broke: refusedName },
        permitted: permitted.closed,
      },
      {
        name: `TLS that names ${serverName}, in an inspected tunnel`,
        attack: throughOpened(forbidden, { serverName }),
        got: { broke: refusedName },
        permitted: permitted.opened,
      },
    ]),
    {
      name: 'invalid TLS',
      attack: { connect: at(closed), send: '\x16\x03\x01\0\x04\x01\0\0\0\x16\x03\x01' },
      got: { statuses: [] },
      permitted: permitted.closed,
    },
    {
      name: 'another Host over TLS',
      attack: throughOpened(get('/permitted', other)),
      got: misdirected(other),
      permitted: permitted.opened,
    },
    {
      name: 'no Host over TLS',
      attack: throughOpened('GET /permitted HTTP/1.1\r\n\r\n'),
      got: unreadable,
      permitted: permitted.opened,
    },
    {
      name: 'HTTP/2 over TLS, negotiated',
      attack: throughOpened(preface, { protocols: ['h2'] }),
      got: noCommonProtocol,
      permitted: throughOpened(get('/permitted', opened), { protocols: ['h2', 'http/1.1'] }),
    },
    {
      name: 'HTTP/2 over TLS, not negotiated',
      attack: throughOpened(preface),
      got: unreadable,
      permitted: permitted.opened,
    },
    {
      name: 'a tunnel within TLS',
      attack: throughOpened(`CONNECT ${at(other)} HTTP/1.1\r\nHost: ${at(other)}\r\n\r\n`),
      got: { statuses: [405] },
      permitted: permitted.opened,
    },

    // Grants for a path or method.
    {
      name: 'another method',
      attack: throughOpened(request('POST /permitted', [`Host: ${at(opened)}`, 'Content-Length: 0'])),
      got: denied(opened),
      permitted: permitted.opened,
    },
    {
      name: 'another method, in lower case',
      attack: throughOpened(`get /permitted HTTP/1.1\r\nHost: ${at(opened)}\r\n\r\n`),
      got: unreadable,
      permitted: permitted.opened,
    },
    ...[
      'X-HTTP-Method-Override: DELETE',
      'X-Method-Override: DELETE',
      'X-HTTP-Method: DELETE',
      'X-Original-URL: /forbidden',
      'X-Rewrite-URL: /forbidden',
    ].map(
      (header): Row => ({
        name: `another method or path, with ${header}`,
        attack: throughOpened(get('/permitted', opened, header)),
        got: denied(opened),
        permitted: throughOpened(get('/permitted', opened, 'X-Other: DELETE')),
      }),
    ),
    ...[
      '/forbidden',
      '/permitted2',
      '/PERMITTED',
      '/',
      '/permitted/../forbidden',
      '/permitted/%2e%2e/forbidden',
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
  let ground: Stage;
  let found: Record<string, Finding>;
  let servers: Record<keyof Ports, WebServer>;
  let table: Row[] = [];

  beforeAll(async () => {
    ground = await stageOnline(caller);
    servers = {
      plain: await webServer(),
      closed: await webServer({ secure: true }),
      opened: await webServer({ secure: true }),
      other: await webServer(),
      otherSecure: await webServer({ secure: true }),
    };
    const { plain, closed, opened, other, otherSecure } = servers;
    table = rows({
      plain: plain.port,
      closed: closed.port,
      opened: opened.port,
      other: other.port,
      otherSecure: otherSecure.port,
    });
    const rules = [
      `http://127.0.0.1:${plain.port}`,
      `127.0.0.1:${closed.port}`,
      { host: `127.0.0.1:${opened.port}`, methods: ['GET'], paths: ['/permitted', '/permitted/**'] },
    ];
    ({ found } = await exchanges(ground, { network: rules }, table, { send: '' }));
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) server.close();
    await ground.close();
  });

  const names = rows({ plain: 1, closed: 2, opened: 3, other: 4, otherSecure: 5 });
  test.each(names.map(({ name }, index) => [name, index] as const))(
    'the tunnel ends as expected, and its permitted twin succeeds: %s',
    (name, index) => {
      expect(found[name]).toEqual({ attack: table[index]?.got, permitted: { statuses: [200] } });
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
