// Threat model: T244

import { expect, test } from 'vitest';
import { UnsendableError } from '../failure/unsendable-error.ts';
import { requestOf } from './request-input.ts';

const daemon = { url: 'http://a.example/', key: 'k' };

test('a request has its address, its defined query fields, its key and its body', () => {
  expect(
    requestOf(daemon, 'listSkills', { query: { q: 'a&b', executable: true, phase: undefined } }),
  ).toEqual({
    address: 'http://a.example/skills?q=a%26b&executable=true',
    init: { method: 'GET', headers: { authorization: 'Bearer k' }, redirect: 'manual' },
  });
  expect(
    requestOf({ ...daemon, key: undefined }, 'composePrompt', {
      body: { phase: 'plan' },
      headers: { x: 'y' },
    }),
  ).toEqual({
    address: 'http://a.example/prompt',
    init: {
      ...{ method: 'POST', redirect: 'manual', body: '{"phase":"plan"}' },
      headers: { 'content-type': 'application/json', x: 'y' },
    },
  });
});

test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
  'refuses %d in a body, which JSON would turn into null, and sends the largest number',
  (number) => {
    const body = (n: number) => ({ path: { id: 'a' }, body: { input: { list: [{ n }] } } });
    expect(() => requestOf(daemon, 'executeSkill', body(number))).toThrow(
      new UnsendableError(`"n" is ${number}, which JSON cannot represent: send a finite number`),
    );
    expect(requestOf(daemon, 'executeSkill', body(Number.MAX_VALUE)).init.body).toBe(
      '{"input":{"list":[{"n":1.7976931348623157e+308}]}}',
    );
  },
);

test.each(['', '.', '..'])('refuses %j as an id, which would change the path', (id) => {
  expect(() => requestOf(daemon, 'getSkill', { path: { id } })).toThrow(
    new UnsendableError(`${JSON.stringify(id)} is not a valid name in a path`),
  );
});

test.each([
  ['...', '/skills/...'],
  ['../a b?', '/skills/..%2Fa%20b%3F'],
])('encodes %j as one path segment', (id, path) => {
  const { address } = requestOf(daemon, 'getSkill', { path: { id } });
  expect(new URL(address).pathname).toBe(path);
});

test('encodes a path of several segments without leaving it', () => {
  const file = (path: string) =>
    requestOf(daemon, 'getSkillFile', { path: { id: 'a', path: path.split('/') } }).address;
  expect(file('references/a b%.md')).toBe('http://a.example/skills/a/files/references/a%20b%25.md');
  for (const path of ['../../audit', 'a/../../b', '/etc', 'a//b', './a'])
    expect(() => file(path)).toThrow(UnsendableError);
});
