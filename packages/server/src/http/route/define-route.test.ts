import { jsonThread } from '@ambit/runtime';
import { type FastifyInstance, fastify } from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { acceptBytes, acceptJson } from '../request/accept-bodies.ts';
import { json } from './answer.ts';
import { defineRoute } from './define-route.ts';

const Everything = z.unknown();

/** An app with a route that returns what it was given. Errors are rethrown. */
function echoing<Query extends z.ZodType | 'anything'>(query: Query) {
  const app = fastify();
  app.setErrorHandler(async (error: Error, _, reply) => reply.code(400).send({ detail: error.message }));
  defineRoute(app, {
    ...{ method: 'POST', url: '/things/:id', scope: 'open', id: 'makeThing', group: 'Daemon' },
    ...{ summary: 'A thing', description: 'A thing.', problems: [] },
    params: z.strictObject({ id: z.string().max(3) }),
    query,
    headers: z.object({ prefer: z.string().max(10).optional() }),
    body: z.strictObject({ name: z.string().default('none') }),
    answers: { 200: json('What was given.', Everything) },
    handle: async (given) => given,
  });
  return app;
}

const strict = () => echoing(z.strictObject({ limit: z.coerce.number().optional() }));

const send = async (app: FastifyInstance, options: object) =>
  (await app.inject({ method: 'POST', url: '/things/a', ...options })).json();

test('passes the parsed parts of a request to its handler', async () => {
  expect(
    await send(strict(), {
      url: '/things/abc?limit=3',
      headers: { prefer: 'wait', other: 'x' },
      payload: { name: 'a' },
    }),
  ).toEqual({
    ...{ params: { id: 'abc' }, query: { limit: 3 } },
    ...{ headers: { prefer: 'wait' }, body: { name: 'a' } },
  });
  expect(await send(strict(), {})).toEqual({
    ...{ params: { id: 'a' }, query: {} },
    ...{ headers: {}, body: { name: 'none' } },
  });
});

test.each([
  ['a path', { url: '/things/abcd' }, /^id: write at most 3 characters/],
  ['a query', { url: '/things/a?limt=3' }, 'unknown field "limt" (did you mean limit?)'],
  ['a header', { headers: { prefer: 'x'.repeat(11) } }, /^prefer: write at most 10 characters/],
  ['a body', { payload: { nam: 1 } }, 'unknown field "nam" (did you mean name?)'],
])('refuses %s that does not match its schema', async (_, options, detail) => {
  expect(await send(strict(), options)).toEqual({
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  });
});

test('passes a body of bytes unchanged, and refuses JSON instead of it', async () => {
  const app = fastify();
  acceptJson(app, jsonThread());
  acceptBytes(app);
  app.setErrorHandler(async (error: Error, _, reply) => reply.code(415).send({ detail: error.message }));
  defineRoute(app, {
    ...{ method: 'PUT', url: '/things', scope: 'open', id: 'putThing', group: 'Daemon', summary: 'A thing' },
    ...{ description: 'A thing.', problems: [] },
    bytes: 'Whatever it is.',
    answers: { 200: json('What was given.', Everything) },
    handle: async ({ bytes, body }) => ({ bytes: [...bytes], body }),
  });
  const put = async (type: string, payload: Buffer) =>
    (await app.inject({ method: 'PUT', url: '/things', headers: { 'content-type': type }, payload })).json();
  expect(await put('application/octet-stream', Buffer.from([0, 255]))).toEqual({ bytes: [0, 255] });
  expect((await app.inject({ method: 'PUT', url: '/things' })).json()).toEqual({ bytes: [] });
  expect(await put('application/json', Buffer.from('{}'))).toEqual({
    detail: expect.stringContaining('content-type: application/octet-stream'),
  });
});

test('ignores a query if the contract allows any', async () => {
  expect(await send(echoing('anything'), { url: '/things/a?limt=3' })).toEqual({
    ...{ params: { id: 'a' }, headers: {}, body: { name: 'none' } },
  });
});

test('refuses a query if the contract has none', async () => {
  const app = fastify();
  defineRoute(app, {
    ...{ method: 'GET', url: '/', scope: 'open', id: 'getThing', group: 'Daemon', summary: 'A thing' },
    ...{ description: 'A thing.', problems: [] },
    answers: { 200: json('Nothing.', Everything) },
    handle: async () => ({}),
  });
  const { statusCode, body } = await app.inject('/?a=1');
  expect([statusCode, JSON.parse(body).message]).toEqual([
    500,
    'unknown field "a" (no fields are allowed there)',
  ]);
  expect((await app.inject('/')).statusCode).toBe(200);
});
