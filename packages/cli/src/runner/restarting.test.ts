// Threat model: T432

import type { Fetch } from '@ambit/client';
import { expect, test } from 'vitest';
import { localServer } from '../../../../test/support/local-server.ts';
import { restarting } from './restarting.ts';

/** A daemon that gives each of its requests the next of these responses. */
async function daemon(...answers: readonly { status: number; body: object }[]) {
  const requests: (string | undefined)[] = [];
  const { origin } = await localServer((request, response) => {
    const { status, body } = answers[requests.push(request.method) - 1] ?? { status: 500, body: {} };
    response.writeHead(status, { 'retry-after': '1' }).end(JSON.stringify(body));
  });
  const send: Fetch = (_, init) => fetch(origin, { ...init, method: 'POST' });
  return { access: { url: origin, socketPath: '/a/socket', fetch: send }, requests };
}

const ending = { status: 503, body: { code: 'SHUTTING_DOWN', detail: 'Ambit is shutting down' } };
const answered = { status: 200, body: { output: 1 } };

test('a request that a daemon refuses because it is ending goes to the next one', async () => {
  const [first, second, third] = [await daemon(ending), await daemon(ending), await daemon(answered)];
  const next = [second, third];
  const send = restarting(first.access, async () => (next.shift() ?? third).access);
  expect(await (await send('http://localhost/', { body: '{}' })).json()).toEqual({ output: 1 });
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
});

test('any other refusal is passed on whole and sent once, and a stream is never sent again', async () => {
  const full = { status: 503, body: { code: 'OVERLOADED', detail: 'try again' } };
  const busy = await daemon(full, ending);
  const send = restarting(busy.access, () => Promise.reject(new Error('no other is looked for')));
  const refused = await send('http://localhost/', { body: '{}' });
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    503,
    '1',
    full.body,
  ]);
  const streamed = await send('http://localhost/', { body: new Blob(['{}']).stream(), duplex: 'half' });
  expect([streamed.status, await streamed.json()]).toEqual([503, ending.body]);
  expect(busy.requests).toHaveLength(2);
});
