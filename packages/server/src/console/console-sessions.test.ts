// Threat model: T437, T439

import { expect, test } from 'vitest';
import { consoleSessions } from './console-sessions.ts';

const minutes = 60_000;

function world() {
  const clock = { now: 0, isOn: true };
  const recording = { done: Promise.resolve<unknown>(undefined) };
  const sessions = consoleSessions({
    isOn: () => clock.isOn,
    now: () => clock.now,
    append: () => recording.done,
  });
  const code = async (purpose: 'sign-in' | 'confirm' = 'sign-in') =>
    (await sessions.issue(purpose, 'key', ['admin'], undefined)).code;
  return { clock, recording, sessions, code, isInUse: sessions.isInUse };
}

test('the console is in use while a code to sign in is valid, and not because of a code that confirms', async () => {
  const { clock, code, isInUse } = world();
  expect(isInUse()).toBe(false);
  await code('confirm');
  expect(isInUse()).toBe(false);
  await code();
  clock.now = minutes - 1;
  expect(isInUse()).toBe(true);
  clock.now = minutes;
  expect(isInUse()).toBe(false);
});

test('the console is in use from the recording of a session until it ends, expires or is not used', async () => {
  const { clock, recording, sessions, code, isInUse } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = await code();
  recording.done = promise;
  const opening = sessions.open(first);
  expect(isInUse()).toBe(true);
  resolve();
  const opened = await opening;
  expect(isInUse()).toBe(true);
  await sessions.end(opened?.session.id ?? '', 'revoked', 'key');
  expect(isInUse()).toBe(false);
  await sessions.open(await code());
  clock.now = 30 * minutes;
  expect(isInUse()).toBe(false);
});

test('a session does not outlive the time in which the console is off', async () => {
  const { clock, sessions, code, isInUse } = world();
  await sessions.open(await code());
  clock.isOn = false;
  expect(isInUse()).toBe(false);
  clock.isOn = true;
  expect([isInUse(), sessions.list()]).toEqual([false, []]);
});
