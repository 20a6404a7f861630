// Threat model: T94, T198, T200

import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { firstCaller } from './support/callers.ts';
import { type Exchange, type Row, request, testExchanges } from './support/egress/exchanges.ts';
import type { Serving } from './support/egress/servers.ts';

/** A placeholder is as long as the secret. */
const placeholderLength = 45;

/** Ports of 127.0.0.1, both granted; the secret is for the first. */
function rows({ right, wrong }: Record<'right' | 'wrong', number>): Row[] {
  const denied = `secrets API_TOKEN to 127.0.0.1:${wrong}`;
  const both = (name: string, to: (there: string) => Exchange): Row => [
    name,
    to(`127.0.0.1:${wrong}`),
    { statuses: [403], denied },
    to(`127.0.0.1:${right}`),
  ];
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
  const behind = (there: string): Exchange => ({
    send: `POST http://127.0.0.1:${right}/ HTTP/1.1\r\nHost: 127.0.0.1:${right}\r\nContent-Length: 0\r\n\r\n${
      get(there, '/', 'Authorization: Bearer {API_TOKEN}').send
    }`,
  });
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
    [
      'behind a request without it',
      behind(`127.0.0.1:${wrong}`),
      { statuses: [200, 403], denied },
      behind(`127.0.0.1:${right}`),
      { statuses: [200, 200] },
    ],
  ];
}

describe.each(firstCaller)('as $name', (caller) => {
  const secret = `canary-${randomUUID()}`;
  const basic = Buffer.from(`user:${secret}`).toString('base64');
  const said: Record<'right' | 'wrong', string[]> = { right: [], wrong: [] };
  const keeping = (kept: string[]): Serving => ({
    handler(asked, response) {
      const keep = (body: string): void => {
        kept.push([asked.url, ...asked.rawHeaders, body].join('\n'));
        response.end('reached');
      };
      // A request that breaks off gets no answer.
      text(asked).then(keep, () => undefined);
    },
  });
  const { servers, ended } = testExchanges(
    'a placeholder sent to a host that the secret is not for is refused: %s',
    caller,
    {
      env: { AMBIT_API_TOKEN: secret },
      servings: { right: keeping(said.right), wrong: keeping(said.wrong) },
      rows,
      granted: ({ right, wrong }) => ({
        network: [right, wrong].map((port) => `http://127.0.0.1:${port}`),
        secrets: [{ name: 'API_TOKEN', hosts: [`http://127.0.0.1:${right}`] }],
      }),
    },
  );

  test('the secret’s host gets the secret each time, and the other host neither secret nor placeholder', () => {
    const holding = said.right.filter((text) => text.includes(secret) || text.includes(basic));
    expect({
      holding: holding.length,
      placeholders: [...said.right, ...said.wrong].filter((text) => text.includes('ambit-secret-')),
      wrong: said.wrong.filter((text) => text.includes(secret) || text.includes(basic)),
    }).toEqual({ holding: rows({ right: 1, wrong: 2 }).length, placeholders: [], wrong: [] });
  });

  test('the response contains the refusals and not the secret', () => {
    expect(ended().denials).toEqual([
      {
        capability: 'secrets',
        requested: `API_TOKEN to 127.0.0.1:${servers.wrong.port}`,
        reason: 'is not for that host',
        remedy: expect.stringContaining(`add "http://127.0.0.1:${servers.wrong.port}" to the hosts`),
      },
    ]);
    expect(JSON.stringify(ended())).not.toContain(secret);
  });
});
