// Threat model: T422

import { expect, test } from 'vitest';
import { localCaller } from './local-caller.ts';

/** Keys that exist, by name; a test may change them. */
function keysNamed(...names: string[]) {
  return {
    names,
    list: () =>
      names.map((name) => ({
        record: { name, sha256: '', scopes: [], createdAt: '2026-01-01T00:00:00.000Z' },
        status: 'good' as const,
      })),
  };
}

test('the caller on the private socket has the name of the user and all rights', () => {
  const keys = keysNamed('bob');
  const caller = localCaller({ user: 'ada', uid: 1000, keys });
  expect(caller.rights()).toMatchObject({
    actor: 'ada',
    scopes: ['admin'],
    skills: undefined,
    ceiling: undefined,
  });
  expect(caller.rights()).toBe(caller.rights());
  expect(['ada', 'bob', 'uid:1000'].map(caller.is)).toEqual([true, false, false]);
});

test('a key with the name of the user has nothing of the caller, also after it was removed', () => {
  const keys = keysNamed();
  const caller = localCaller({ user: 'ada', uid: 1000, keys });
  expect(caller.rights().actor).toBe('ada');
  keys.names.push('ada');
  expect(caller.rights().actor).toBe('uid:1000');
  expect(['ada', 'uid:1000'].map(caller.is)).toEqual([false, true]);
  keys.names.pop();
  expect(['ada', 'uid:1000'].map(caller.is)).toEqual([false, true]);
});

test('a user with a name under which the program writes events is named by its id', () => {
  for (const user of ['ambit', 'daemon', 'unknown', 'console'])
    expect(localCaller({ user, uid: 1000, keys: keysNamed() }).rights().actor).toBe('uid:1000');
});

test('a node of a cluster calls it the first key, whose rights it has at every node', () => {
  expect(localCaller({ user: 'key', uid: 1000, keys: keysNamed() }).rights().actor).toBe('key');
});
