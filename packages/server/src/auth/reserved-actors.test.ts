// Threat model: T243

import { expect, test } from 'vitest';
import { KeyRequest } from './key-record.ts';
import { firstKeyName, programActor } from './reserved-actors.ts';

const accepts = (name: string): boolean => KeyRequest.safeParse({ name, scopes: ['skills:read'] }).success;

test('no key can have the name of an actor that the program writes, in any case', () => {
  const actors = [...Object.values(programActor), firstKeyName, 'http', 'mcp', 'cli', 'operator', 'root'];
  const imitations = actors.flatMap((actor) => [
    ...[actor, actor.toUpperCase(), `${actor[0]?.toUpperCase()}${actor.slice(1)}`],
    ...[`${actor}.`, `${actor}-_`],
  ]);
  expect(imitations.filter(accepts)).toEqual([]);
});

test.each([
  'daem0n',
  'daernon',
  'arnbit',
  'arnb1t',
  'amblt',
  'cIi',
  'c1i',
  'conso1e',
  'c0ns0le',
  '0perator',
  'f1rst',
])('no key can be called %s, which looks like such an actor', (name) => expect(accepts(name)).toBe(false));

test.each(['daemοn', 'ambіt', 'ｋey', 'k\u200bey', 'console:1', 'a b', ' key'])(
  'no key can be called %j, which has a letter of another script, a hidden character or a separator',
  (name) => expect(accepts(name)).toBe(false),
);

test.each(['bot', 'my-daemon', 'daemon-2', 'ambit-ci', 'cli-bot', 'keys', 'prometheus', 'ada', 'first-bot'])(
  'a key can be called %s',
  (name) => expect(accepts(name)).toBe(true),
);

test('the refusal says why, and what to do', () => {
  const { error } = KeyRequest.safeParse({ name: 'Daemon', scopes: ['skills:read'] });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [
      ['name'],
      'this name is reserved: the audit log could not tell the key from Ambit, its operator or its first key; choose another name',
    ],
  ]);
});
