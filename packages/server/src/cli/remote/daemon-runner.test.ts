import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SkillError } from '@ambit/core';
import type { RunEvent } from '@ambit/core/internal';
import { expect, onTestFinished, test } from 'vitest';
import { daemonRunner } from './daemon-runner.ts';

const usage = { durationMs: 1, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null };
const result = {
  executionId: 'e',
  outcome: { status: 'succeeded', output: 1 },
  usage,
  log: '',
  audit: { sequence: 1, hash: 'sha256:1' },
};
const call = { skillId: 'a', input: { input: { x: 1 } }, narrowing: { limits: { timeoutMs: 5 } } };
const never = new AbortController().signal;

/** A server that records its requests and gives each the same answer. Without an answer it never responds. */
async function server(answer?: { status: number; body: unknown; headers?: Record<string, string> }) {
  const requests: { method: unknown; url: unknown; authorization: unknown; body: string }[] = [];
  const http = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      requests.push({ method, url, authorization: headers.authorization, body });
      http.emit('asked');
      if (answer !== undefined)
        response
          .writeHead(answer.status, answer.headers)
          .end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { http, requests, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

test('sends a call with the key and returns the complete result', async () => {
  const { url, requests } = await server({ status: 200, body: result });
  expect(await daemonRunner({ url, key: 'k' }).execute(call, never)).toEqual(result);
  expect(requests).toEqual([
    {
      method: 'POST',
      url: '/skills/a/execute',
      authorization: 'Bearer k',
      body: '{"input":{"x":1},"limits":{"timeoutMs":5}}',
    },
  ]);
});

test("rejects with the daemon's original error", async () => {
  const problem = {
    type: 'about:blank',
    title: 'Denied',
    status: 403,
    detail: 'not granted',
    code: 'CAPABILITY_DENIED',
    executionId: 'e',
    denials: [],
  };
  const { url } = await server({ status: 403, body: problem });
  const error = await daemonRunner({ url, key: 'k' })
    .execute(call, never)
    .catch((thrown: unknown) => thrown);
  expect(error).toEqual(
    new SkillError('CAPABILITY_DENIED', 'not granted', { details: { executionId: 'e', denials: [] } }),
  );
});

test('names the address if no daemon or another server responds', async () => {
  const { url, http } = await server({ status: 200, body: '<html>' });
  const client = daemonRunner({ url, key: 'k' });
  const code = 'DAEMON_UNREACHABLE';
  await expect(client.execute(call, never)).rejects.toMatchObject({
    code,
    message: `the server at ${url} is not an Ambit daemon, or has an incompatible version. Check the address`,
  });
  http.closeAllConnections();
  http.close();
  await once(http, 'close');
  await expect(client.execute(call, never)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(url),
  });
});

test('an abort ends the request and rejects with its reason', async () => {
  const { url, http } = await server();
  const abort = new AbortController();
  const answer = daemonRunner({ url, key: 'k' }).execute(call, abort.signal);
  const reason = new Error('Ctrl-C');
  void once(http, 'asked').then(() => abort.abort(reason));
  await expect(answer).rejects.toBe(reason);
});

test('passes events to the observer up to a gap, and returns the same result', async () => {
  const events = [
    ...[
      ['queued', {}],
      ['started', {}],
      ['stderr', { text: 'half' }],
    ],
    ...[
      ['progress', { done: 1, total: 2 }],
      ['result', result],
    ],
  ];
  const body = events.map(
    ([name, data], id) => `id: ${id + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  const { url } = await server({
    ...{ status: 200, body: body.join('') },
    headers: { 'content-type': 'text/event-stream', location: '/executions/e' },
  });
  const told: RunEvent[] = [];
  const client = daemonRunner({ url, key: 'k' });
  expect(await client.execute(call, never, (event) => void told.push(event))).toEqual(result);
  expect(told).toEqual([
    { kind: 'started' },
    { kind: 'stderr', text: 'half' },
    { kind: 'progress', done: 1, total: 2, message: undefined },
  ]);
});
