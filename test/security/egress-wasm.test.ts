// Threat model: T92

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution, type Stage } from './support/attacker.ts';
import { firstCaller } from './support/callers.ts';
import { stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServer } from './support/egress/servers.ts';
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

/** A request, its expected result, and its permitted twin. */
type Row = [name: string, asked: Asked, got: unknown, permitted: Asked];

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
  const permitted: Asked = { url: `${there}/permitted` };
  const narrowly: Asked = { url: `${secure}/permitted` };
  const notGranted = new RegExp(`^Ambit: network 127\\.0\\.0\\.1:${other} is not granted to this skill`);
  const narrow = new RegExp(
    `^Ambit: network 127\\.0\\.0\\.1:${opened} (is not granted to this skill for|has rules for paths|is requested with)`,
  );
  return [
    ['another port', { url: `${elsewhere}/forbidden` }, notGranted, permitted],
    [
      'the granted host as user-info',
      { url: `http://127.0.0.1:${plain}@127.0.0.1:${other}/forbidden` },
      noUrl,
      permitted,
    ],
    ['user-info', { url: `http://u:p@127.0.0.1:${plain}/forbidden` }, noUrl, permitted],
    [
      'a backslash before user-info',
      { url: `http://127.0.0.1:${plain}\\@127.0.0.1:${other}/forbidden` },
      noUrl,
      permitted,
    ],
    [
      'a fragment before user-info',
      { url: `${elsewhere}#@127.0.0.1:${plain}/forbidden` },
      notGranted,
      { url: `${there}/permitted#@127.0.0.1:${other}` },
    ],
    [
      'another address, as one number',
      { url: `http://2130706433:${other}/forbidden` },
      notGranted,
      { url: `http://2130706433:${plain}/permitted` },
    ],
    [
      'another address, inside IPv6',
      { url: `http://[::ffff:7f00:1]:${other}/forbidden` },
      notGranted,
      { url: `http://[::ffff:7f00:1]:${plain}/permitted` },
    ],
    ['a NUL in the host', { url: `http://127.0.0.1\0:${plain}/forbidden` }, noUrl, permitted],
    [
      'a line break in the path',
      { url: `${there}/a HTTP/1.1\r\nHost: 127.0.0.1:${other}\r\n\r\n` },
      noUrl,
      permitted,
    ],
    ['another scheme', { url: 'file:///etc/passwd' }, noUrl, permitted],
    ['no scheme', { url: `//127.0.0.1:${plain}/forbidden` }, noUrl, permitted],
    [
      'TLS where plain HTTP is granted',
      { url: `https://127.0.0.1:${plain}/forbidden` },
      new RegExp(`^Ambit: network 127\\.0\\.0\\.1:${plain} is not granted`),
      narrowly,
    ],
    ['a redirect elsewhere', { url: `${there}/redirect` }, 302, permitted],
    [
      'another Host, which is not passed on',
      { url: `${there}/permitted`, headers: { Host: `127.0.0.1:${other}` } },
      200,
      permitted,
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
      permitted,
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
      permitted,
    ],
    [
      'a tunnel',
      { url: `${there}/forbidden`, method: 'CONNECT' },
      /^Ambit: CONNECT is not supported/,
      permitted,
    ],
    ['TRACE', { url: `${there}/forbidden`, method: 'TRACE' }, /^Ambit: TRACE is not supported/, permitted],
    [
      'two methods in one',
      { url: `${there}/forbidden`, method: `GET ${elsewhere}/ HTTP/1.1\r\n` },
      /^Ambit: invalid method/,
      permitted,
    ],
    ['another method', { url: `${secure}/permitted`, method: 'POST', body: 'a' }, narrow, narrowly],
    ['another path', { url: `${secure}/forbidden` }, narrow, narrowly],
    ['another path, escaped', { url: `${secure}/permitted/%2e%2e/forbidden` }, narrow, narrowly],
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
  let ground: Stage;
  let servers: Record<keyof Ports, WebServer>;
  let table: Row[] = [];
  let network: unknown[] = [];

  beforeAll(async () => {
    ground = await stageOnline(caller);
    const [opened, other] = [await webServer({ secure: true }), await webServer()];
    const plain = await webServer({
      handler(request, response) {
        const location = `http://127.0.0.1:${other.port}/forbidden`;
        if (request.url === '/redirect') response.writeHead(302, { location });
        request.resume().on('end', () => response.end('reached'));
      },
    });
    servers = { plain, opened, other };
    table = rows({ plain: plain.port, opened: opened.port, other: other.port });
    network = [
      `http://127.0.0.1:${plain.port}`,
      { host: `127.0.0.1:${opened.port}`, methods: ['GET'], paths: ['/permitted'] },
    ];
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) server.close();
    await ground.close();
  });

  /** The status of the response, or why there is none. */
  const answerTo = async (kind: Kind, asked: Asked): Promise<unknown> => {
    const skill = await askingSkill(ground.folder, kind, ['http_request', asked], {
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
        const [, asked, got, permitted] = table[index] as Row;
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
