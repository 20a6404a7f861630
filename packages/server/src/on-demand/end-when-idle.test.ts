// Threat model: T432, T435

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endWhenIdle } from './end-when-idle.ts';

/** A server whose daemon is idle after 20 ms without use. `settle` ends what runs without a connection. */
async function world() {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-idle-'));
  const server = createServer();
  const running = Promise.withResolvers<void>();
  const idle = Promise.withResolvers<void>();
  let isIdle = false;
  const onIdle = (): void => {
    isIdle = true;
    idle.resolve();
  };
  const end = endWhenIdle({ server, settled: () => running.promise, idleMs: () => 20, onIdle });
  const path = join(folder, 'socket');
  await once(server.listen(path), 'listening');
  onTestFinished(() => {
    end.stop();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  end.begin();
  const connected = async () => {
    const socket = connect(path);
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    return socket;
  };
  return { end, connected, idle: idle.promise, isIdle: () => isIdle, settle: running.resolve };
}

/** Three times the idle time. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 60));

test('a daemon is idle when its connections are closed and its executions have ended', async () => {
  const { connected, idle, isIdle, settle } = await world();
  const socket = await connected();
  await aWhile();
  expect(isIdle()).toBe(false);
  socket.destroy();
  await aWhile();
  expect(isIdle()).toBe(false);
  settle();
  await idle;
});

test('a hurried daemon is idle as soon as its last connection is closed, and not before', async () => {
  const { connected, end, idle, isIdle, settle } = await world();
  settle();
  const socket = await connected();
  end.hurry();
  await aWhile();
  expect(isIdle()).toBe(false);
  socket.destroy();
  await idle;
});

test('a daemon waits for its first connection longer than its idle time, and ends sooner if hurried', async () => {
  const { end, idle, isIdle, settle } = await world();
  settle();
  await aWhile();
  expect(isIdle()).toBe(false);
  end.hurry();
  await idle;
});

test('an ending daemon waits for a connection that was made before, until it closes', async () => {
  const { connected, end } = await world();
  const socket = await connected();
  let isQuiet = false;
  const quiet = end.quiet().then(() => {
    isQuiet = true;
  });
  await aWhile();
  expect(isQuiet).toBe(false);
  socket.destroy();
  await quiet;
});
