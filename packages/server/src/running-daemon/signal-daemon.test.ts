// Threat model: T434

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processStart } from '@ambit/client/node';
import { expect, onTestFinished, test } from 'vitest';
import { signalDaemon } from './signal-daemon.ts';

/** A process with these words on its command line. */
async function processWith(...words: string[]) {
  const script = 'process.stdout.write("ready"); setInterval(() => {}, 1e6)';
  const child = spawn(process.execPath, ['-e', script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return { child, pid, started: await processStart(pid) };
}

test.runIf(process.platform === 'linux')(
  'a signal reaches the announced daemon, and no other process with its id',
  async () => {
    const { child, pid, started } = await processWith('serve');
    const other = await processWith('other');
    const refused = { code: 'DAEMON_UNREACHABLE' };
    await expect(signalDaemon({ pid, started: '1' }, '/data', 'SIGTERM')).rejects.toMatchObject(refused);
    await expect(signalDaemon(other, '/data', 'SIGTERM')).rejects.toMatchObject(refused);
    await signalDaemon({ pid, started }, '/data', 'SIGTERM');
    expect((await once(child, 'exit'))[1]).toBe('SIGTERM');
    expect([other.child.exitCode, other.child.signalCode]).toEqual([null, null]);
  },
);
