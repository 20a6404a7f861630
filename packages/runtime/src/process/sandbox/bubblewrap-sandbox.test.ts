import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hostProgram } from '../host-program.ts';
import { bubblewrapSandbox } from './bubblewrap-sandbox.ts';
import type { Ceilings } from './ceilings/ceilings.ts';
import { runInSandbox } from './run-in-sandbox.ts';
import type { SandboxedRun } from './sandbox.ts';

const bounds = {
  stdin: new Uint8Array(),
  timeoutMs: 20_000,
  outputBytes: 10_000,
};
const ceilings = { memoryBytes: 64 * 1024 * 1024, cpuMs: 20_000, processes: 10 };

/** Accounts that only tell who enters them. */
function watchedCeilings(onEnter: (pid: number) => void): Ceilings {
  const usage = () => ({ cpuMs: null, memoryPeakBytes: null, outOfMemory: false });
  return {
    name: 'cgroup v1',
    open: () => ({
      start: (start) => start(),
      async bind(pid) {
        onEnter(pid);
        return 'bound';
      },
      usage,
      close: async () => undefined,
    }),
    close: () => undefined,
  };
}

async function shell(
  script: string,
  accounts: Ceilings | undefined,
  signal: AbortSignal,
): Promise<SandboxedRun> {
  const [sh, sleep] = [hostProgram('sh'), hostProgram('sleep')];
  const mounts = [...sh.mounts, ...sleep.mounts];
  const command = {
    argv: [sh.path, '-c', script] as const,
    env: { PATH: '/usr/bin' },
    cwd: '/tmp',
    mounts,
    links: sh.links,
  };
  return runInSandbox(bubblewrapSandbox({ ceilings: accounts }), { command, ceilings }, bounds, signal);
}

test('a run that is canceled at any moment after its gate has opened leaves no process', async () => {
  for (let turns = 0; turns < 60; turns++) {
    const controller = new AbortController();
    let first = 0;
    const accounts = watchedCeilings((pid) => {
      first = pid;
      // Turns of the event loop are finer than milliseconds: what comes after the gate takes less than one.
      afterTurns(turns, () => controller.abort(new Error('stop')));
    });
    const run = await shell('sleep 600', accounts, controller.signal);
    expect(run.end).toEqual({ status: 'canceled', reason: 'stop' });
    while (await isAlive(first)) await new Promise(setImmediate);
  }
});

function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'gone');
  return !/^gone$|State:\s+[ZX]/.test(status);
}

test('nothing runs before its first process is in its place', async () => {
  const entered: string[] = [];
  const accounts = watchedCeilings(() => entered.push('entered'));
  const run = await shell('echo ran', accounts, new AbortController().signal);
  expect({ entered, stdout: new TextDecoder().decode(run.stdout) }).toEqual({
    entered: ['entered'],
    stdout: 'ran\n',
  });
});
