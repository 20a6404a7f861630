// Threat model: T244

import { expect, test } from 'vitest';
import { UnsendableError } from '../failure/unsendable-error.ts';
import { requestOf } from './request-input.ts';

const daemon = { url: 'http://a.example/', key: 'k' };

test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
  'refuses %d in a body, which JSON would turn into null, and sends the largest number',
  (number) => {
    const body = (n: number) => ({ params: { id: 'a' }, body: { input: { list: [{ n }] } } });
    expect(() => requestOf(daemon, 'POST /skills/:id/execute', body(number))).toThrow(
      new UnsendableError(`"n" is ${number}, which JSON cannot represent: send a finite number`),
    );
    expect(requestOf(daemon, 'POST /skills/:id/execute', body(Number.MAX_VALUE)).init.body).toBe(
      '{"input":{"list":[{"n":1.7976931348623157e+308}]}}',
    );
  },
);

test.each(['', '.', '..'])('refuses %j as an id, which would change the path', (id) => {
  expect(() => requestOf(daemon, 'GET /skills/:id', { params: { id } })).toThrow(
    new UnsendableError(`${JSON.stringify(id)} is not a valid name in a path`),
  );
});

test.each([
  ['...', '/skills/...'],
  ['../a b?', '/skills/..%2Fa%20b%3F'],
])('encodes %j as one path segment', (id, path) => {
  const { address } = requestOf(daemon, 'GET /skills/:id', { params: { id } });
  expect(new URL(address).pathname).toBe(path);
});

test('a header replaces the usual one, in any case', () => {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', Prefer: 'respond-async' };
  const { init } = requestOf(daemon, 'POST /prompt', { body: {}, headers });
  expect(init.headers).toEqual({
    authorization: 'Bearer k',
    'content-type': 'application/json; charset=utf-8',
    prefer: 'respond-async',
  });
});

test('encodes a path of several segments without leaving it', () => {
  const file = (path: string) =>
    requestOf(daemon, 'GET /skills/:id/files/*', { params: { id: 'a', path: path.split('/') } }).address;
  expect(file('references/a b%.md')).toBe('http://a.example/skills/a/files/references/a%20b%25.md');
  for (const path of ['../../audit', 'a/../../b', '/etc', 'a//b', './a'])
    expect(() => file(path)).toThrow(UnsendableError);
});
