// Threat model: T94, T198, T200

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding, Stage } from './support/attacker.ts';
import { firstCaller } from './support/callers.ts';
import { type Exchange, exchanges, type Row, request, stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServer } from './support/egress/servers.ts';
import type { ExecutionLine } from './support/protocol.ts';

/** A placeholder is as long as the secret. */
const placeholderLength = 45;

/** Ports of 127.0.0.1, both granted; the secret is for the first. */
function rows(right: number, wrong: number): Row[] {
  const both = (name: string, to: (there: string) => Exchange): Row => ({
    name,
    attack: to(`127.0.0.1:${wrong}`),
    got: { statuses: [403], denied: `secrets API_TOKEN to 127.0.0.1:${wrong}` },
    permitted: to(`127.0.0.1:${right}`),
  });
  const get = (there: string, path: string, ...headers: string[]): Exchange => ({
    send: request(`GET http://${there}${path}`, headers),
  });
  const post = (there: string, headers: string[], body: string): Exchange => ({
    send: request(`POST http://${there}/`, headers, body),
  });
  const length = (text: string): string =>
    `Content-Length: ${text.length - '{API_TOKEN}'.length + placeholderLength}`;
  const json = '{"token":"{API_TOKEN}"}';
  const chunk = (text: string, bytes = text.length): string => `${bytes.toString(16)}\r\n${text}\r\n`;
  return [
    both('in a header', (there) => get(there, '/', 'Authorization: Bearer {API_TOKEN}')),
    both('in a header of another name', (there) => get(there, '/', 'X-Anything: {API_TOKEN}')),
    both('in a cookie, twice', (there) => get(there, '/', 'Cookie: a={API_TOKEN}; b={API_TOKEN}')),
    both('as a password', (there) => get(there, '/', 'Authorization: Basic {PASSWORD}')),
    both('in a query', (there) => get(there, '/?token={API_TOKEN}')),
    both('in a path', (there) => get(there, '/bot{API_TOKEN}/send')),
    both('in a body', (there) => post(there, [length('{API_TOKEN}')], '{API_TOKEN}')),
    both('in JSON', (there) => post(there, ['Content-Type: application/json', length(json)], json)),
    both('in a form', (there) =>
      post(
        there,
        ['Content-Type: application/x-www-form-urlencoded', length('a={API_TOKEN}')],
        'a={API_TOKEN}',
      ),
    ),
    both('in a chunk', (there) =>
      post(there, ['Transfer-Encoding: chunked'], `${chunk('{API_TOKEN}', placeholderLength)}0\r\n\r\n`),
    ),
    both('in a tunnel', (there) => ({
      connect: there,
      send: request('GET /', [`Host: ${there}`, 'Authorization: Bearer {API_TOKEN}']),
    })),
    both('behind a request without it', (there) => ({
      send: `POST http://127.0.0.1:${right}/ HTTP/1.1\r\nHost: 127.0.0.1:${right}\r\nContent-Length: 0\r\n\r\n${
        get(there, '/', 'Authorization: Bearer {API_TOKEN}').send
      }`,
    })),
  ].map((row) =>
    row.name === 'behind a request without it'
      ? {
          ...row,
          got: { statuses: [200, 403], denied: `secrets API_TOKEN to 127.0.0.1:${wrong}` },
          permittedGot: { statuses: [200, 200] },
        }
      : row,
  );
}

describe.each(firstCaller)('as $name', (caller) => {
  const secret = `canary-${randomUUID()}`;
  const basic = Buffer.from(`user:${secret}`).toString('base64');
  let ground: Stage;
  let found: Record<string, Finding>;
  let ended: ExecutionLine;
  let [right, wrong]: WebServer[] = [];
  let table: Row[] = [];
  const said: Record<'right' | 'wrong', string[]> = { right: [], wrong: [] };

  beforeAll(async () => {
    ground = await stageOnline(caller, { AMBIT_API_TOKEN: secret });
    const keeping = (kept: string[]): ReturnType<typeof webServer> =>
      webServer({
        handler(asked, response) {
          let body = '';
          asked.setEncoding('utf8').on('data', (piece) => {
            body += piece;
          });
          asked.on('end', () => {
            kept.push([asked.url, ...asked.rawHeaders, body].join('\n'));
            response.end('reached');
          });
        },
      });
    [right, wrong] = [await keeping(said.right), await keeping(said.wrong)];
    table = rows(right.port, wrong.port);
    const network = [right, wrong].map(({ port }) => `http://127.0.0.1:${port}`);
    const secrets = [{ name: 'API_TOKEN', hosts: [network[0]] }];
    ({ found, ended } = await exchanges(ground, { network, secrets }, table, { send: '' }));
  });
  afterAll(async () => {
    right?.close();
    wrong?.close();
    await ground.close();
  });

  test.each(rows(1, 2).map(({ name }, index) => [name, index] as const))(
    'a placeholder sent to a host that the secret is not for is refused: %s',
    (name, index) => {
      const { got, permittedGot = { statuses: [200] } } = table[index] as Row;
      expect(found[name]).toEqual({ attack: got, permitted: permittedGot });
    },
  );

  test('the secret’s host gets the secret each time, and the other host neither secret nor placeholder', () => {
    const holding = said.right.filter((text) => text.includes(secret) || text.includes(basic));
    expect({
      holding: holding.length,
      placeholders: [...said.right, ...said.wrong].filter((text) => text.includes('ambit-secret-')),
      wrong: said.wrong.filter((text) => text.includes(secret) || text.includes(basic)),
    }).toEqual({ holding: table.length, placeholders: [], wrong: [] });
  });

  test('the response contains the refusals and not the secret', () => {
    expect(ended.denials).toEqual([
      {
        capability: 'secrets',
        requested: `API_TOKEN to 127.0.0.1:${wrong?.port}`,
        reason: 'is not for that host',
        remedy: expect.stringContaining(`add "http://127.0.0.1:${wrong?.port}" to the hosts`),
      },
    ]);
    expect(JSON.stringify(ended)).not.toContain(secret);
  });
});
