// Threat model: T263, T264

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { isWhole } from '../../../../../../test/support/whole.ts';
import { unnamedFile } from '../../../spawn/unnamed-file.ts';
import { until } from '../../../spawn/until.ts';
import { afterTurns, commandLinesWith } from '../../../testing/processes.ts';
import { hostProgram } from '../../programs/host-program.ts';
import { launcherFiles } from '../launcher/launcher-files.ts';
import { ownHardLimits } from '../launcher/rlimits.ts';
import { runInSandbox } from '../run-in-sandbox.ts';
import type { Sandbox, SandboxedCommand } from '../sandbox.ts';
import { bubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { startAhead } from './start-ahead.ts';
import { systemRoot } from './system-root.ts';

const limits = { memoryBytes: 64 * 1024 * 1024, cpuMs: 20_000, processes: 10, fileBytes: 1024 * 1024 };
const [plain, ahead] = [bubblewrapSandbox(), bubblewrapSandbox({ startsAhead: true })];

afterAll(async () => {
  await plain.close?.();
  await ahead.close?.();
});

/** The process ids of the waiting shells that `parent` has started. */
function waiting(parent = process.pid): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        const isOurs =
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(parent);
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sh\0-c\0while');
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The end and output of a command that may use these programs. */
async function ran(
  sandbox: Sandbox,
  names: readonly string[],
  command: Partial<SandboxedCommand>,
  signal = new AbortController().signal,
) {
  const programs = names.map((name) => hostProgram(name));
  const run = await runInSandbox(
    sandbox,
    {
      command: {
        argv: ['/usr/bin/sh'],
        env: {},
        cwd: '/workspace',
        mounts: programs.flatMap(({ mounts }) => mounts),
        links: Object.assign({}, ...programs.map(({ links }) => links)),
        workspace: '/workspace',
        ...command,
      },
      limits,
    },
    {
      stdin: new TextEncoder().encode('=input\n.\nmore'),
      timeoutMs: 20_000,
      outputBytes: 10_000,
      files: [{ path: 'given.txt', content: new Uint8Array(3) }],
    },
    signal,
  );
  return [run.end, new TextDecoder().decode(run.stdout), new TextDecoder().decode(run.stderr)];
}

/** The end and output of a program that prints its arguments, environment, folder, descriptors, limits and input. */
function printed(sandbox: Sandbox, args: readonly string[]) {
  const script =
    'for each; do printf "<%s>" "$each"; done; env | sort; pwd; ls /proc/self/fd /workspace; ulimit -f; cat';
  return ran(sandbox, ['sh', 'env', 'ls', 'cat', 'sort'], {
    argv: ['/usr/bin/sh', '-c', script, 'sh', ...args],
    env: { PATH: '/usr/bin', ODD: "a\nb 'c' =ü", EMPTY: '' },
  });
}

/** The process id of the only waiting shell, which a run has started. */
async function waitingShell(): Promise<number> {
  await printed(ahead, []);
  await until(() => waiting().length === 1);
  return waiting()[0] ?? 0;
}

test.each([
  [
    'words',
    ['a', '', ' b  c ', '$HOME', '`id`', "'", '"', '\\', '\\n', '=', '.', '=.', '-n', '--', '~', '*'],
    true,
  ],
  ['lines', ['a\nb', '.\n'], false],
  ['letters outside ASCII', ['ü', '\u0081', '\u{1f600}'], false],
  ['more than a shell reads quickly', ['x'.repeat(5000)], false],
])(
  'a run with %s as arguments does the same in a waiting process as in a new one',
  async (_, args, isTaken) => {
    const shell = await waitingShell();
    const expected = await printed(plain, args);
    expect(expected).toMatchObject([
      { status: 'exited', exitCode: 0 },
      expect.stringContaining('=input\n.\nmore'),
      '',
    ]);
    const running = printed(ahead, args);
    // A used shell has become bubblewrap.
    if (isTaken) await until(() => !waiting().includes(shell));
    expect(await running).toEqual(expected);
    expect(waiting().includes(shell)).toBe(!isTaken);
  },
);

test('a run canceled at any moment of its start leaves no process', async () => {
  await printed(ahead, []);
  for (let turns = 0; turns < 60; turns += isWhole ? 1 : 6) {
    await until(() => waiting().length === 1);
    const controller = new AbortController();
    const seconds = `600.${process.pid}${turns}`;
    const running = ran(ahead, ['sleep'], { argv: ['/usr/bin/sleep', seconds] }, controller.signal);
    afterTurns(turns, () => controller.abort(new Error('stop')));
    expect((await running)[0]).toEqual({ status: 'canceled', reason: 'stop' });
    expect(commandLinesWith(seconds)).toEqual([]);
  }
});

test('a run with a larger environment than a pipe takes starts in a new process', async () => {
  const shell = await waitingShell();
  const large = { A: 'a'.repeat(100_000), B: 'b'.repeat(100_000), C: 'c'.repeat(100_000) };
  const [end, stdout, stderr] = await ran(ahead, ['sh', 'cksum'], {
    argv: ['/usr/bin/sh', '-c', 'printf %s "$A$B$C" | cksum'],
    env: { PATH: '/usr/bin', ...large },
  });
  expect([end, stdout, stderr]).toEqual([
    { status: 'exited', exitCode: 0 },
    expect.stringMatching(/^\d+ 300000\n$/),
    '',
  ]);
  expect(waiting()).toContain(shell);
});

test('a waiting process that was killed is replaced, and the next run succeeds', async () => {
  const shell = await waitingShell();
  process.kill(shell, 'SIGKILL');
  // This process has noticed its end.
  await until(() => !readdirSync('/proc').includes(String(shell)));
  expect((await printed(ahead, ['a']))[0]).toEqual({ status: 'exited', exitCode: 0 });
  await until(() => waiting().length === 1);
  expect(waiting()).not.toContain(shell);
});

test('a sandbox that is closed ends the processes that wait', async () => {
  const own = bubblewrapSandbox({ startsAhead: true });
  const shell = await waitingShell();
  await printed(own, []);
  await until(() => waiting().length === 2);
  await own.close?.();
  expect(waiting()).toEqual([shell]);
});

test('a kind that is dropped and used again while its process starts leaves no process', async () => {
  const shell = await waitingShell();
  const [filter, launchers] = [unnamedFile(new Uint8Array(8)), launcherFiles('x64')];
  const starting = Promise.withResolvers<void>();
  let started = 0;
  const own = startAhead({
    file: 'bwrap',
    users: undefined,
    cgroups: undefined,
    own: { filters: { usual: filter, withUnixSockets: filter }, system: {}, launchers },
    async facts() {
      started += 1;
      await starting.promise;
      return { system: await systemRoot(), hardLimits: ownHardLimits() };
    },
  });
  const use = (processes: number): void =>
    own.used({
      limits: { ...limits, processes },
      ownsFiles: false,
      unixSockets: false,
      proxy: false,
      host: false,
    });
  use(1);
  await until(() => started === 1);
  for (const processes of [2, 3, 4, 5, 1]) use(processes);
  starting.resolve();
  await until(() => waiting().length >= 5);
  await own.close();
  filter.close();
  launchers.close();
  expect(waiting()).toEqual([shell]);
});

test('a daemon that is killed leaves no waiting process', async () => {
  const index = new URL('../../../index.ts', import.meta.url).href;
  const script = `
    const { bubblewrapSandbox, probeSandbox } = await import(${JSON.stringify(index)});
    const sandbox = bubblewrapSandbox({ startsAhead: true });
    const limits = ${JSON.stringify(limits)};
    const command = { argv: ['/none'], env: {}, cwd: '/', mounts: [] };
    const program = await sandbox.start(command, limits);
    await program.release();
    await program.ended;
    await program.close();
    setInterval(() => undefined, 1000);`;
  const daemon = execFile(process.execPath, ['--input-type=module', '-e', script]);
  await until(() => waiting(daemon.pid).length === 1);
  const [shell = 0] = waiting(daemon.pid);
  daemon.kill('SIGKILL');
  await until(() => !readdirSync('/proc').includes(String(shell)));
});
