import { text } from 'node:stream/consumers';
import { ambitClient } from '@ambit/client';
import type { RunEvent } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { localServer } from '../../../../../test/support/local-server.ts';
import { execute } from './execute.ts';

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
async function server(answer?: { body: string; headers?: Record<string, string> }) {
  const requests: { method: unknown; url: unknown; authorization: unknown; body: string }[] = [];
  const asked = Promise.withResolvers<void>();
  const { origin } = await localServer((request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      requests.push({ method, url, authorization: headers.authorization, body });
      asked.resolve();
      if (answer !== undefined) response.writeHead(200, answer.headers).end(answer.body);
    });
  });
  return { url: origin, requests, asked: asked.promise };
}

test('an abort ends the request and rejects with its reason', async () => {
  const { url, asked } = await server();
  const abort = new AbortController();
  const answer = execute(ambitClient({ url, key: 'k' }), call, abort.signal);
  const reason = new Error('Ctrl-C');
  void asked.then(() => abort.abort(reason));
  await expect(answer).rejects.toBe(reason);
});

test('sends a call with its narrowing, passes output to the observer up to a gap, and returns the result', async () => {
  const events = [
    ['queued', {}],
    ['started', {}],
    ['stderr', { text: 'half' }],
    ['progress', { done: 1, total: 2 }],
    ['gap', { events: 2 }],
    ['stderr', { text: 'the rest' }],
    ['result', result],
  ];
  const body = events.map(
    ([name, data], id) => `id: ${id + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  const { url, requests } = await server({
    body: body.join(''),
    headers: { 'content-type': 'text/event-stream', location: '/executions/e' },
  });
  const told: RunEvent[] = [];
  const client = ambitClient({ url, key: 'k' });
  expect(await execute(client, call, never, (event) => void told.push(event))).toEqual(result);
  expect(requests).toEqual([
    {
      method: 'POST',
      url: '/skills/a/execute',
      authorization: 'Bearer k',
      body: '{"input":{"x":1},"limits":{"timeoutMs":5}}',
    },
  ]);
  expect(told).toEqual([
    { kind: 'started' },
    { kind: 'stderr', text: 'half' },
    { kind: 'progress', done: 1, total: 2, message: undefined },
  ]);
});
