// Threat model: T69, T70

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFile } from '@ambit/core/workspace';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../../../../test/support/whole.ts';
import { afterTurns, commandLinesWith } from '../../../testing/processes.ts';
import { probeSandbox } from '../../probe-sandbox.ts';
import { hostProgram } from '../../programs/host-program.ts';
import type { ResourceLimits } from '../cgroup/resource-limits.ts';
import { runInSandbox } from '../run-in-sandbox.ts';
import type { SandboxedRun } from '../sandbox.ts';
import { bubblewrapSandbox } from './bubblewrap-sandbox.ts';

const bounds = {
  stdin: new Uint8Array(),
  timeoutMs: 20_000,
  outputBytes: 10_000,
};
const limits = { memoryBytes: 64 * 1024 * 1024, cpuMs: 20_000, processes: 10, fileBytes: 1024 * 1024 };

/** Resource limits that only report when they are put into force. */
function watchedLimits(onBind: () => void): ResourceLimits {
  const usage = () => ({ cpuMs: null, memoryPeakBytes: null, outOfMemory: false });
  return {
    name: 'cgroup v1',
    open: () => ({
      openEntryFiles: () => [],
      bind() {
        onBind();
        return 'bound';
      },
      restart: () => undefined,
      cpuMs: () => null,
      usage,
      close: async () => undefined,
    }),
    limitAll: () => false,
    close: () => undefined,
  };
}

async function shell(
  script: string,
  resourceLimits: ResourceLimits | undefined,
  signal: AbortSignal,
  files: readonly WorkspaceFile[] = [],
): Promise<SandboxedRun> {
  const [sh, sleep] = [hostProgram('sh'), hostProgram('sleep')];
  const mounts = [...sh.mounts, ...sleep.mounts];
  const command = {
    argv: [sh.path, '-c', script] as const,
    env: { PATH: '/usr/bin' },
    cwd: '/tmp',
    mounts,
    links: sh.links,
    ...(files.length > 0 ? { workspace: '/workspace' } : {}),
  };
  const given = { ...bounds, files };
  return runInSandbox(bubblewrapSandbox({ resourceLimits }), { command, limits }, given, signal);
}

test.each([
  ['', []],
  [', with files', [{ path: 'a', content: new Uint8Array(1) }]],
])('a run canceled at any moment after the sandbox is set up leaves no process%s', async (_, files) => {
  for (let turns = 0; turns < 60; turns += isWhole ? 1 : 6) {
    const controller = new AbortController();
    // Event loop turns are finer than milliseconds: the run's first steps take less than one.
    const resourceLimits = watchedLimits(() => afterTurns(turns, () => controller.abort(new Error('stop'))));
    const sleep = `sleep 600.${files.length}${process.pid}${turns}`;
    const run = await shell(sleep, resourceLimits, controller.signal, files);
    expect(run.end).toEqual({ status: 'canceled', reason: 'stop' });
    expect(commandLinesWith(sleep.replace(' ', '\0'))).toEqual([]);
  }
});

test('the probe of a missing bubblewrap returns the spawn error, for any user', async () => {
  expect(await probeSandbox(bubblewrapSandbox({ file: '/nonexistent/bwrap' }))).toEqual({
    works: false,
    detail: 'spawn /nonexistent/bwrap ENOENT',
  });
  expect(await probeSandbox(bubblewrapSandbox())).toEqual({ works: true });
});

test('a program starts only after its limits are in force', async () => {
  const bound: string[] = [];
  const resourceLimits = watchedLimits(() => bound.push('bound'));
  const run = await shell('echo ran', resourceLimits, new AbortController().signal);
  expect({ bound, stdout: new TextDecoder().decode(run.stdout) }).toEqual({
    bound: ['bound'],
    stdout: 'ran\n',
  });
});

test('a program runs once its start barrier opens, and never if its daemon is killed before', async () => {
  expect(await runsFor('await program.release(); await program.ended')).toBe(true);
  expect(await runsFor('')).toBe(false);
});

/** Whether a program has run whose daemon does `then` when the sandbox is set up, and kills itself. */
async function runsFor(then: string): Promise<boolean> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o777);
  const ran = join(folder, 'ran');
  const daemon = `
    import { hostProgram } from '${new URL('../../programs/host-program.ts', import.meta.url)}';
    import { bubblewrapSandbox } from '${new URL('bubblewrap-sandbox.ts', import.meta.url)}';
    const { path, mounts, links } = hostProgram('sh');
    const given = { source: '${folder}', target: '${folder}', writable: true };
    const command = { argv: [path, '-c', 'echo > ${ran}'], env: {}, cwd: '/tmp', links };
    const program = await bubblewrapSandbox().start({
      ...command, mounts: [...mounts, given], ownsFiles: true, workspace: '/workspace',
    });
    // Waits until the sandbox is set up.
    await program.fill([], undefined);
    ${then};
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', daemon], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  while (commandLinesWith(ran).length > 0);
  return existsSync(ran);
}
