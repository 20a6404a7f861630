// Threat model: T392

import { expect, test } from 'vitest';
import { sharedMemory } from './shared-memory.ts';

test('what waits for calls uses what they leave, and no more', () => {
  const memory = sharedMemory(10);
  memory.reserve(6);
  expect(memory.holdIdle(5, async () => undefined)).toBeUndefined();
  const free = memory.holdIdle(4, async () => undefined);
  expect(memory.load()).toEqual({ share: 10, reserved: 6, idle: 4 });
  free?.();
  free?.();
  expect(memory.load()).toEqual({ share: 10, reserved: 6, idle: 0 });
});

test('calls take the memory of what waits, which is given up oldest first before they start', async () => {
  const memory = sharedMemory(10);
  const given: string[] = [];
  let end = (): void => undefined;
  for (const name of ['old', 'older', 'new'])
    memory.holdIdle(3, async () => {
      given.push(name);
      await new Promise<void>((resolve) => (end = resolve));
    });
  await memory.makeRoom();
  expect(given).toEqual([]);
  memory.reserve(4);
  let hasRoom = false;
  const room = memory.makeRoom().then(() => (hasRoom = true));
  expect(given).toEqual(['old']);
  await new Promise(setImmediate);
  // Another call waits for the same end, and nothing is given up twice.
  const other = memory.makeRoom();
  expect([given, hasRoom]).toEqual([['old'], false]);
  end();
  await Promise.all([room, other]);
  expect([hasRoom, memory.load()]).toEqual([true, { share: 10, reserved: 4, idle: 6 }]);
  await memory.makeRoom();
  expect(given).toEqual(['old']);
});

test('a call starts even if what waits cannot be ended', async () => {
  const memory = sharedMemory(4);
  memory.holdIdle(4, () => Promise.reject(new Error('it hangs')));
  memory.reserve(4);
  await memory.makeRoom();
  expect(memory.load()).toEqual({ share: 4, reserved: 4, idle: 0 });
});
