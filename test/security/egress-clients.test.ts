// Threat model: T91

import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { findHostProgram } from '../../packages/runtime/src/index.ts';
import type { Finding } from './support/attacker.ts';
import { lastCaller } from './support/callers.ts';
import { mapped, online, stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServers } from './support/egress/servers.ts';

/**
 * Ports of 127.0.0.1: plain HTTP, TLS without inspection, TLS for `GET` only, and plain HTTP that
 * is not granted.
 */
type Ports = Record<'plain' | 'closed' | 'opened' | 'other', number>;

interface Command {
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
}

type Ended = [exitCode: number, printed: unknown];

/** A client, its command, its exit code and output, and its permitted twin, which prints 200 unless its result follows. */
type Row = [name: string, attack: Command, got: Ended, permitted: Command, permittedGot?: Ended];

const commit = 'c'.repeat(40);
/** Any error of the client. */
const failed = expect.toBeOneOf([1, 5, 7, 22, 35, 52, 55, 56, 97, 128]);

const urllib = `import sys, urllib.request, urllib.error
try:
  print(urllib.request.urlopen(sys.argv[1], timeout=60).status)
except urllib.error.HTTPError as error:
  print(error.code)
except urllib.error.URLError as error:
  print(error.reason)`;
const direct = `import http.client, sys
try:
  client = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=60)
  client.request('GET', sys.argv[2])
  print(client.getresponse().status)
except OSError as error:
  print(error.strerror)`;
const tunnelled = `import http.client, sys
client = http.client.HTTPSConnection('127.0.0.1', 3128, timeout=60)
client.set_tunnel('127.0.0.1', int(sys.argv[1]))
try:
  client.request(sys.argv[2], sys.argv[3])
  print(client.getresponse().status)
except OSError as error:
  print(error)`;
const nodeDirect = `fetch(process.argv[1]).then(({ status }) => console.log(status), ({ cause }) => console.log(cause.code));`;
const nodeProxied = `require('node:http').get({ host: '127.0.0.1', port: 3128, path: process.argv[1],
  headers: { host: process.argv[2] } }, ({ statusCode }) => { console.log(statusCode); process.exit(); });`;
/** Requests a URL as any program on Node does. On a Node that does not read the variables of a proxy, it reads them. */
const nodeByVariables = `const [major, minor] = process.versions.node.split('.').map(Number);
const { NODE_USE_ENV_PROXY, HTTP_PROXY } = process.env;
if (major >= 24 || (major === 22 && minor >= 21)) ${nodeDirect}
else if (NODE_USE_ENV_PROXY !== '1') console.log('past the proxy');
else require('node:http').get(HTTP_PROXY, { path: process.argv[1], headers: { host: new URL(process.argv[1]).host } },
  ({ statusCode }) => { console.log(statusCode); process.exit(); });`;
const nodeSocket = `const socket = require('node:net').connect(process.argv[1], '127.0.0.1');
socket.on('connect', () => { console.log('connected'); socket.destroy(); }).on('error', ({ code }) => console.log(code));`;

function rows({ plain, closed, opened, other }: Ports): Row[] {
  const [there, elsewhere] = [`http://127.0.0.1:${plain}`, `http://127.0.0.1:${other}`];
  const python = (program: string, ...args: unknown[]): Command => ({
    argv: ['python3', '-c', program, ...args.map(String)],
  });
  const quiet = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--max-time', '15'];
  const curl = (...args: string[]): Command => ({ argv: ['curl', ...quiet, ...args] });
  const git = (...args: string[]): Command => ({ argv: ['git', ...args] });
  const node = (program: string, ...args: unknown[]): Command => ({
    argv: ['node', '-e', program, ...args.map(String)],
  });
  const repository = git('ls-remote', `${there}/repository`);
  const head: Ended = [0, `${commit}\trefs/heads/main`];
  return [
    ['urllib', python(urllib, `${elsewhere}/forbidden`), [0, '403'], python(urllib, `${there}/permitted`)],
    [
      'urllib, by a redirect',
      python(urllib, `${there}/redirect`),
      [0, '403'],
      python(urllib, `${there}/around`),
    ],
    [
      'urllib, by a redirect to another scheme',
      python(urllib, `${there}/redirect-ftp`),
      [0, '[Errno 111] Connection refused'],
      python(urllib, `${there}/around`),
    ],
    [
      'urllib, past the proxy',
      { ...python(urllib, `${there}/forbidden`), env: { http_proxy: '', HTTP_PROXY: '', no_proxy: '*' } },
      [0, '[Errno 111] Connection refused'],
      python(urllib, `${there}/permitted`),
    ],
    [
      'http.client, past the proxy',
      python(direct, plain, '/forbidden'),
      [0, 'Connection refused'],
      python(direct, 3128, `${there}/permitted`),
    ],
    [
      'http.client, past the proxy to what is not granted',
      python(direct, other, '/forbidden'),
      [0, 'Connection refused'],
      python(direct, 3128, `${there}/permitted`),
    ],
    [
      'http.client, for a path alone',
      python(direct, 3128, '/forbidden'),
      [0, '400'],
      python(direct, 3128, `${there}/permitted`),
    ],
    [
      'http.client, in a tunnel',
      python(tunnelled, other, 'GET', '/forbidden'),
      [0, 'Tunnel connection failed: 403 Forbidden'],
      python(tunnelled, closed, 'GET', '/permitted'),
    ],
    [
      'http.client, another method over TLS',
      python(tunnelled, opened, 'POST', '/permitted'),
      [0, '403'],
      python(tunnelled, opened, 'GET', '/permitted'),
    ],

    ['curl', curl(`${elsewhere}/forbidden`), [0, '403'], curl(`${there}/permitted`)],
    [
      'curl, by a redirect',
      curl('--location', `${there}/redirect`),
      [0, '403'],
      curl('--location', `${there}/around`),
    ],
    [
      'curl, by a redirect to a tunnel',
      curl('--location', `${there}/redirect-tls`),
      [failed, '000'],
      curl(`https://127.0.0.1:${closed}/permitted`),
    ],
    [
      'curl, past the proxy',
      curl('--noproxy', '*', `${there}/forbidden`),
      [7, '000'],
      curl(`${there}/permitted`),
    ],
    [
      'curl, with another Host',
      curl('--header', `Host: 127.0.0.1:${other}`, `${there}/forbidden`),
      [0, '421'],
      curl('--header', `Host: 127.0.0.1:${plain}`, `${there}/permitted`),
    ],
    [
      'curl, connecting elsewhere',
      curl('--connect-to', `::127.0.0.1:${other}`, `${there}/forbidden`),
      [failed, '000'],
      curl('--connect-to', `::127.0.0.1:${plain}`, `${there}/permitted`),
    ],
    [
      'curl, in a tunnel',
      curl('--proxytunnel', `${elsewhere}/forbidden`),
      [failed, '000'],
      curl('--proxytunnel', `${there}/permitted`),
    ],
    [
      'curl, HTTP/2 in a tunnel',
      curl('--proxytunnel', '--http2-prior-knowledge', `${there}/forbidden`),
      [failed, '000'],
      curl('--proxytunnel', `${there}/permitted`),
    ],
    [
      'curl, over SOCKS',
      curl('--proxy', 'socks5h://127.0.0.1:3128', `${there}/forbidden`),
      [97, '000'],
      curl('--proxy', 'http://127.0.0.1:3128', `${there}/permitted`),
    ],
    [
      'curl, by another proxy',
      curl('--proxy', there, `${elsewhere}/forbidden`),
      [failed, '000'],
      curl(`${there}/permitted`),
    ],
    [
      'curl, by another proxy behind the first',
      curl('--preproxy', 'socks5h://127.0.0.1:3128', '--proxy', there, `${elsewhere}/forbidden`),
      [97, '000'],
      curl(`${there}/permitted`),
    ],
    [
      'curl, with user-info',
      curl(`http://127.0.0.1:${plain}@127.0.0.1:${other}/forbidden`),
      [expect.toBeOneOf([0, 3]), expect.toBeOneOf(['400', '403', '000'])],
      curl(`${there}/permitted`),
    ],
    [
      'curl, another method over TLS',
      curl('--data', 'a', `https://127.0.0.1:${opened}/permitted`),
      [0, '403'],
      curl(`https://127.0.0.1:${opened}/permitted`),
    ],
    [
      'curl, to the first port by telnet',
      { argv: ['curl', '--silent', '--max-time', '5', `telnet://127.0.0.1:${other}`] },
      [failed, ''],
      curl(`${there}/permitted`),
    ],

    ['git', git('ls-remote', `${elsewhere}/repository`), [128, ''], repository, head],
    ['git, by a redirect', git('ls-remote', `${there}/redirect`), [128, ''], repository, head],
    [
      'git, past the proxy',
      git('-c', 'http.proxy=', 'ls-remote', `${there}/repository`),
      [128, ''],
      repository,
      head,
    ],
    [
      'git, by its own protocol',
      git('ls-remote', `git://127.0.0.1:${plain}/repository`),
      [128, ''],
      repository,
      head,
    ],

    [
      'Node',
      node(nodeProxied, `${elsewhere}/forbidden`, `127.0.0.1:${other}`),
      [0, '403'],
      node(nodeProxied, `${there}/permitted`, `127.0.0.1:${plain}`),
    ],
    [
      'Node, with another Host',
      node(nodeProxied, `${there}/forbidden`, `127.0.0.1:${other}`),
      [0, '421'],
      node(nodeProxied, `${there}/permitted`, `127.0.0.1:${plain}`),
    ],
    [
      'Node, past the proxy',
      { ...node(nodeDirect, `${there}/forbidden`), env: { NODE_USE_ENV_PROXY: '0' } },
      [0, 'ECONNREFUSED'],
      node(nodeByVariables, `${there}/permitted`),
    ],
    [
      'Node, by a socket',
      node(nodeSocket, plain),
      [0, 'ECONNREFUSED'],
      node(nodeSocket, 3128),
      [0, 'connected'],
    ],
  ];
}

const programs = ['curl', 'git', 'node'] as const;
const missing = programs.filter((name) => findHostProgram(name) === undefined);
const isTried = ([, attack]: Row): boolean => !missing.some((name) => name === attack.argv[0]);

describe.each(lastCaller)('as $name', (caller) => {
  const ground = stageOnline(caller);
  let found: Record<string, Finding>;
  const servers: Readonly<Record<keyof Ports, WebServer>> = webServers({
    plain: { handler: (request, response) => lead(request, response, servers.other.port) },
    closed: { secure: true },
    opened: { secure: true },
    other: {},
  });

  beforeAll(async () => {
    const ports = mapped(servers, ({ port }) => port);
    ({ found } = await online(ground, 'clients.py', {
      given: rows(ports)
        .filter(isTried)
        .map(([name, attack, , permitted]) => ({ name, attack, permitted })),
      exec: ['python3', ...programs.filter((name) => !missing.includes(name))],
      network: [
        `http://127.0.0.1:${ports.plain}`,
        `127.0.0.1:${ports.closed}`,
        { host: `127.0.0.1:${ports.opened}`, methods: ['GET'] },
      ],
    }));
  });

  for (const row of rows({ plain: 1, closed: 2, opened: 3, other: 4 })) {
    const [name, , attack, , permitted = [0, '200']] = row;
    test.skipIf(!isTried(row))(`an attempt with ${name} is refused, and its permitted twin succeeds`, () => {
      expect(found[name]).toEqual({ attack, permitted });
    });
  }

  test('no refused request has reached a server', () => {
    expect({
      granted: Object.values(servers).flatMap(({ heard }) =>
        heard.filter((line) => / \/forbidden|^POST/.test(line)),
      ),
      other: servers.other.connections(),
    }).toEqual({ granted: [], other: 0 });
  });
});

/** Redirects, and a repository with one branch. */
function lead({ url = '' }: IncomingMessage, response: ServerResponse, other: number): void {
  const to: Record<string, string> = {
    '/redirect': `http://127.0.0.1:${other}/forbidden`,
    '/redirect-ftp': `ftp://127.0.0.1:${other}/forbidden`,
    '/redirect-tls': `https://127.0.0.1:${other}/forbidden`,
    '/around': '/permitted',
  };
  const location = to[url.replace(/\/info\/refs.*$/, '')];
  if (location !== undefined) response.writeHead(302, { location }).end();
  else if (url.startsWith('/repository/info/refs')) response.end(`${commit}\trefs/heads/main\n`);
  else if (url.startsWith('/repository/')) response.writeHead(404).end();
  else response.end('reached');
}
