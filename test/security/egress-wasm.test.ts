// Threat model: T92

import { beforeAll, describe, expect, test } from 'vitest';
import { execution } from './support/attacker.ts';
import { firstCaller } from './support/callers.ts';
import { mapped, stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServers } from './support/egress/servers.ts';
import { answerOf, type Kind, kinds } from './support/wasm/asking.ts';
import { askingSkill } from './support/wasm/wasm-skill.ts';

/**
 * Ports of 127.0.0.1: plain HTTP, TLS for `GET /permitted` only, and plain HTTP that is not
 * granted.
 */
type Ports = Record<'plain' | 'opened' | 'other', number>;

interface Asked {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** A request or only its URL, its expected result, and its permitted twin: the granted URL if absent. */
type Row = [name: string, asked: Asked | string, got: unknown, permitted?: Asked | string];

const [noUrl, noHeader, noUpgrade] = [
  /^Ambit: invalid URL: use http/,
  /Invalid character in header|ERR_INVALID/,
  /^Ambit: protocol upgrades/,
];

function rows({ plain, opened, other }: Ports): Row[] {
  const [there, elsewhere, secure] = [
    `http://127.0.0.1:${plain}`,
    `http://127.0.0.1:${other}`,
    `https://127.0.0.1:${opened}`,
  ];
  const narrowly = `${secure}/permitted`;
  const notGranted = new RegExp(`^Ambit: network 127\\.0\\.0\\.1:${other} is not granted to this skill`);
  const narrow = new RegExp(
    `^Ambit: network 127\\.0\\.0\\.1:${opened} (is not granted to this skill for|has rules for paths|is requested with)`,
  );
  return [
    ['another port', `${elsewhere}/forbidden`, notGranted],
    ['the granted host as user-info', `http://127.0.0.1:${plain}@127.0.0.1:${other}/forbidden`, noUrl],
    ['user-info', `http://u:p@127.0.0.1:${plain}/forbidden`, noUrl],
    ['a backslash before user-info', `http://127.0.0.1:${plain}\\@127.0.0.1:${other}/forbidden`, noUrl],
    [
      'a fragment before user-info',
      `${elsewhere}#@127.0.0.1:${plain}/forbidden`,
      notGranted,
      `${there}/permitted#@127.0.0.1:${other}`,
    ],
    [
      'another address, as one number',
      `http://2130706433:${other}/forbidden`,
      notGranted,
      `http://2130706433:${plain}/permitted`,
    ],
    [
      'another address, inside IPv6',
      `http://[::ffff:7f00:1]:${other}/forbidden`,
      notGranted,
      `http://[::ffff:7f00:1]:${plain}/permitted`,
    ],
    ['a NUL in the host', `http://127.0.0.1\0:${plain}/forbidden`, noUrl],
    ['a line break in the path', `${there}/a HTTP/1.1\r\nHost: 127.0.0.1:${other}\r\n\r\n`, noUrl],
    ['another scheme', 'file:///etc/passwd', noUrl],
    ['no scheme', `//127.0.0.1:${plain}/forbidden`, noUrl],
    [
      'TLS where plain HTTP is granted',
      `https://127.0.0.1:${plain}/forbidden`,
      new RegExp(`^Ambit: network 127\\.0\\.0\\.1:${plain} is not granted`),
      narrowly,
    ],
    ['a redirect elsewhere', `${there}/redirect`, 302],
    [
      'another Host, which is not passed on',
      { url: `${there}/permitted`, headers: { Host: `127.0.0.1:${other}` } },
      200,
    ],
    [
      'a line break in a header',
      { url: `${there}/forbidden`, headers: { a: `b\r\nHost: 127.0.0.1:${other}` } },
      noHeader,
      { url: `${there}/permitted`, headers: { a: 'b' } },
    ],
    [
      'a line break in a header’s name',
      { url: `${there}/forbidden`, headers: { 'a: b\r\nc': 'd' } },
      /valid HTTP token|ERR_INVALID/,
      { url: `${there}/permitted`, headers: { a: 'b' } },
    ],
    [
      'another length, which is not passed on',
      { url: `${there}/permitted`, headers: { 'Content-Length': '500' } },
      200,
    ],
    [
      'invalid chunks, which are not passed on',
      {
        url: `${there}/permitted`,
        method: 'POST',
        headers: { 'Transfer-Encoding': 'chunked' },
        body: '0\r\n\r\nGET /forbidden HTTP/1.1\r\n\r\n',
      },
      200,
      { url: `${there}/permitted`, method: 'POST', body: 'a' },
    ],
    [
      'a WebSocket',
      { url: `${there}/forbidden`, headers: { Connection: 'Upgrade', Upgrade: 'websocket' } },
      noUpgrade,
    ],
    ['a tunnel', { url: `${there}/forbidden`, method: 'CONNECT' }, /^Ambit: CONNECT is not supported/],
    ['TRACE', { url: `${there}/forbidden`, method: 'TRACE' }, /^Ambit: TRACE is not supported/],
    [
      'two methods in one',
      { url: `${there}/forbidden`, method: `GET ${elsewhere}/ HTTP/1.1\r\n` },
      /^Ambit: invalid method/,
    ],
    ['another method', { url: `${secure}/permitted`, method: 'POST', body: 'a' }, narrow, narrowly],
    ['another path', `${secure}/forbidden`, narrow, narrowly],
    ['another path, escaped', `${secure}/permitted/%2e%2e/forbidden`, narrow, narrowly],
    [
      'another method by a header',
      { url: `${secure}/permitted`, headers: { 'X-HTTP-Method-Override': 'DELETE' } },
      narrow,
      narrowly,
    ],
    [
      'a header bomb',
      {
        url: `${there}/forbidden`,
        headers: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, 'b'])),
      },
      /^Ambit: too many headers: a request may have 200/,
      {
        url: `${there}/permitted`,
        headers: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, 'b'])),
      },
    ],
  ];
}

describe.each(firstCaller)('as $name', (caller) => {
  const ground = stageOnline(caller);
  const servers: Readonly<Record<keyof Ports, WebServer>> = webServers({
    plain: {
      handler(request, response) {
        const location = `http://127.0.0.1:${servers.other.port}/forbidden`;
        if (request.url === '/redirect') response.writeHead(302, { location });
        request.resume().on('end', () => response.end('reached'));
      },
    },
    opened: { secure: true },
    other: {},
  });
  let table: Row[] = [];
  let network: unknown[] = [];

  beforeAll(async () => {
    const ports = mapped(servers, ({ port }) => port);
    table = rows(ports);
    network = [
      `http://127.0.0.1:${ports.plain}`,
      { host: `127.0.0.1:${ports.opened}`, methods: ['GET'], paths: ['/permitted'] },
    ];
  });

  /** The status of the response, or why there is none. */
  const answerTo = async (kind: Kind, asked: Asked | string): Promise<unknown> => {
    const question = typeof asked === 'string' ? { url: asked } : asked;
    const skill = await askingSkill(ground.folder, kind, ['http_request', question], {
      capabilities: { network },
    });
    const answer = answerOf((await execution(ground.program, skill, { grant: { network } })).outcome);
    const { value, error } = answer as { value?: { status: number }; error?: string };
    return value?.status ?? error ?? answer;
  };

  describe.each(kinds)('a %s', (kind) => {
    test.each(rows({ plain: 1, opened: 2, other: 3 }).map(([name], index) => [name, index] as const))(
      'a request is refused or made safe, and its permitted twin succeeds: %s',
      async (_, index) => {
        const [, asked, got, permitted = `http://127.0.0.1:${servers.plain.port}/permitted`] = table[
          index
        ] as Row;
        expect([await answerTo(kind, asked), await answerTo(kind, permitted)]).toEqual([
          got instanceof RegExp ? expect.stringMatching(got) : got,
          200,
        ]);
      },
    );

    test('a request without a network grant ends the call', async () => {
      const asked = { url: `http://127.0.0.1:${servers.plain.port}/forbidden` };
      const skill = await askingSkill(ground.folder, kind, ['http_request', asked]);
      expect(answerOf((await execution(ground.program, skill)).outcome)).toEqual({
        status: 'capability-violated',
        capability: 'network',
        detail: `http_request asks for http://127.0.0.1:${servers.plain.port}`,
      });
    });
  });

  test('no refused request has reached a server', () => {
    expect({
      granted: [servers.plain, servers.opened].flatMap(({ heard }) =>
        heard.filter((line) => !/^(GET|POST) \/permitted$|^GET \/redirect$/.test(line)),
      ),
      other: servers.other.connections(),
    }).toEqual({ granted: [], other: 0 });
  });
});
