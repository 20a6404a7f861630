// Threat model: T246

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { answers, problemOf, quick, scriptedServer, type Turn } from '../testing/scripted-server.ts';
import type { AuditQuery } from './audit-api.ts';
import { ambitClient } from './open-client.ts';

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each<[string, Turn]>([
  ['a page', (response) => void response.end('<html>')],
  ['null', answers(null)],
  ['a list', answers([])],
  ['a response of another server', answers({ skills: [] })],
  ['a page with a refusal', (response) => void response.writeHead(404).end('<html>')],
  ['a redirection', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
])('rejects %s as not Ambit, without a retry', async (_, turn) => {
  const { url, requests } = await scriptedServer(turn);
  const ambit = ambitClient({ url, retries: quick });
  expect(await caught(ambit.skills())).toMatchObject({
    code: 'NOT_AMBIT',
    message: expect.stringContaining(url),
  });
  expect(requests).toHaveLength(1);
});

test.each([
  ['null', null],
  ['text', 'a'],
  ['the response of a chain', { executionId: 'e1', links: [] }],
])('rejects a result that is %s instead of the response of a skill, as not Ambit', async (_, result) => {
  const status = { executionId: 'e1', skillId: 'a', status: 'finished', startedAt: '', endedAt: '' };
  const { url } = await scriptedServer(answers({ executionId: 'e1' }, 202), answers({ ...status, result }));
  const ambit = ambitClient({ url, retries: quick });
  expect(await caught(ambit.execute('a', 1, { idempotencyKey: true }))).toMatchObject({ code: 'NOT_AMBIT' });
});

test('rejects a status without an end as not Ambit, instead of waiting for it', async () => {
  const { url, requests } = await scriptedServer(answers({ executionId: 'e1' }));
  const ambit = ambitClient({ url, retries: quick });
  expect(await caught(ambit.wait('e1'))).toMatchObject({ code: 'NOT_AMBIT' });
  expect(requests).toHaveLength(1);
});

test('reads records in pages from the end of an earlier page on', async () => {
  const page = (next: number | null) => answers({ records: [{ sequence: next }], next });
  const { url, requests } = await scriptedServer(page(5), page(null));
  const query: AuditQuery = { skill: 'a', limit: 3, before: 9 };
  expect(await Array.fromAsync(ambitClient({ url }).audit.records(query))).toHaveLength(2);
  expect(requests.map((request) => request.url)).toEqual([
    '/audit?skill=a&limit=200&before=9',
    '/audit?skill=a&limit=200&before=5',
  ]);
});

test.each<[string, Turn]>([
  ['with a length', answers({ skills: ['x'.repeat(100)], broken: [] }, 200, { 'content-length': '127' })],
  [
    'without an end',
    (response) => {
      const more = (): void => void response.write('x'.repeat(50), () => setImmediate(more));
      more();
    },
  ],
  [
    'with compression',
    (response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(' '.repeat(5000))),
  ],
  ['with a refusal', answers({ ...problemOf(404, 'NOT_FOUND'), detail: 'x'.repeat(100) }, 404)],
])('does not read a response that is too long (%s), and does not retry', async (_, turn) => {
  const { url, requests } = await scriptedServer(turn);
  const ambit = ambitClient({ url, retries: quick, answerBytesMax: 100 });
  expect(await caught(ambit.skills())).toMatchObject({
    code: 'ANSWER_TOO_LARGE',
    message: `the response of ${url}/skills exceeds 100 bytes: request less, or raise answerBytesMax`,
  });
  expect(requests).toHaveLength(1);
});

test('reads a response of exactly the maximum length, with and without a length header', async () => {
  const text = JSON.stringify({ skills: ['x'.repeat(45)], broken: [], brokenCount: 0, next: null });
  for (const headers of [{ 'content-length': String(text.length) }, {}]) {
    const { url } = await scriptedServer((response) => void response.writeHead(200, headers).end(text));
    const ambit = ambitClient({ url, answerBytesMax: 100 });
    expect([text.length, JSON.stringify(await ambit.skills())]).toEqual([100, text]);
  }
});
