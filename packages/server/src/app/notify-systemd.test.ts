import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { notifySystemd } from './notify-systemd.ts';

const hasPrograms = ['systemd-notify', 'python3'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** Receives datagrams as systemd does, and prints their states. systemd-notify waits until the descriptor that it sends is closed. */
const receiver = `
import os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
    server.bind(sys.argv[1])
    print('listening', flush=True)
    while True:
        data, descriptors, *_ = socket.recv_fds(server, 4096, 8)
        for descriptor in descriptors:
            os.close(descriptor)
        if data != b'BARRIER=1':
            print(data.decode().strip(), flush=True)
`;

/** A service manager. Returns the socket that it names, and the states that it receives, in turn. */
async function serviceManager(): Promise<{ socket: string; received(): Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-notify-'));
  const socket = join(folder, 'socket');
  const child = spawn('python3', ['-c', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const received = async (): Promise<string> => (await lines.next()).value;
  expect(await received()).toBe('listening');
  return { socket, received };
}

const errors: unknown[] = [];
const logger = { error: (problem: unknown) => void errors.push(problem) };

test.skipIf(!hasPrograms)(
  'systemd is notified that the daemon is ready, and then that it answers, until a thread no longer does',
  async () => {
    const { socket, received } = await serviceManager();
    const environment = {
      ...process.env,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: '30000',
      WATCHDOG_PID: String(process.pid),
    };
    const asked = Promise.withResolvers<void>();
    let answers = 0;
    const answered = async (): Promise<void> => {
      answers += 1;
      if (answers < 3) return;
      asked.resolve();
      await new Promise(() => undefined);
    };
    const stop = notifySystemd({ environment, answered, logger });
    onTestFinished(stop);
    expect([await received(), await received(), await received()]).toEqual([
      'READY=1',
      'WATCHDOG=1',
      'WATCHDOG=1',
    ]);
    await asked.promise;
    // The next state would be another watchdog report if the hanging thread did not prevent it.
    notifySystemd({ environment: { ...environment, WATCHDOG_PID: '1' }, answered, logger });
    expect(await received()).toBe('READY=1');
    expect([answers, errors]).toEqual([3, []]);
  },
);

test('a daemon that systemd did not start runs no other program', () => {
  const answered = () => expect.fail('asked');
  notifySystemd({ environment: { WATCHDOG_USEC: '1000' }, answered, logger })();
});
