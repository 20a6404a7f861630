import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/skill-on-disk.ts';
import { nodePermissionSandbox } from './node-permission-sandbox.ts';
import { runInSandbox } from './run-in-sandbox.ts';
import type { SandboxedCommand, SandboxedRun } from './sandbox.ts';

const never = new AbortController().signal;
const bounds = { stdin: new TextEncoder().encode('in'), timeoutMs: 10_000, outputBytes: 1000 };

/** A script in a folder of its own, and the command that runs it in a sandbox made for it. */
async function scriptOf(
  body: string,
): Promise<{ folder: string; program: string; command: SandboxedCommand }> {
  const folder = await temporaryFolder();
  const program = join(folder, 'main.mjs');
  await writeFile(program, body);
  await writeFile(join(folder, 'beside.txt'), 'beside');
  const mounts = [
    { source: process.execPath, target: '/ambit/node' },
    { source: folder, target: '/ambit/host' },
  ];
  return {
    folder,
    program,
    command: {
      argv: ['/ambit/node', '--no-warnings', '/ambit/host/main.mjs', '/ambit/host/beside.txt'],
      env: { GIVEN: 'yes' },
      cwd: '/',
      mounts,
    },
  };
}

async function answerOf(body: string): Promise<unknown> {
  const { program, command } = await scriptOf(body);
  const { stdout, end }: SandboxedRun = await runInSandbox(
    nodePermissionSandbox(program),
    { command },
    bounds,
    never,
  );
  return end.status === 'exited' && end.exitCode === 0 ? new TextDecoder().decode(stdout) : end;
}

describe('the one program', () => {
  test('reads its stdin, its folder and its arguments, at the places where they are on this machine', async () => {
    const read =
      'import { readFileSync } from "node:fs"; console.log(readFileSync(0, "utf8"), readFileSync(process.argv[2], "utf8"))';
    expect(await answerOf(read)).toBe('in beside\n');
  });

  test('has the environment that it is given and no other', async () => {
    process.env['AMBIT_TEST_CANARY'] = 'canary';
    expect(await answerOf('console.log(JSON.stringify(process.env))')).toBe('{"GIVEN":"yes"}\n');
    delete process.env['AMBIT_TEST_CANARY'];
  });

  test.each([
    [
      'read another file',
      'import { readFileSync } from "node:fs"; const attempt = () => readFileSync("/etc/hostname")',
    ],
    [
      'write a file',
      'import { writeFileSync } from "node:fs"; const attempt = () => writeFileSync("/tmp/ambit-canary", "x")',
    ],
    [
      'start a program',
      'import { execFileSync } from "node:child_process"; const attempt = () => execFileSync(process.execPath)',
    ],
    [
      'start a thread',
      'import { Worker } from "node:worker_threads"; const attempt = () => new Worker("1", { eval: true })',
    ],
    ['use WASI', 'import { WASI } from "node:wasi"; const attempt = () => new WASI({ version: "preview1" })'],
    ['load an addon', 'const attempt = () => process.dlopen({ exports: {} }, "/x.node")'],
  ])('cannot %s', async (_, attempt) => {
    expect(
      await answerOf(
        `${attempt}\ntry { attempt(); console.log("did") } catch (error) { console.log(error.code) }`,
      ),
    ).toMatch(/^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)\n$/);
  });

  test('is ended at its deadline, at the bound of its output and by its caller', async () => {
    const { program, command } = await scriptOf('for (;;) console.log("x".repeat(100))');
    const quiet = await scriptOf('for (;;);');
    const run = runInSandbox(nodePermissionSandbox(program), { command }, bounds, never);
    expect((await run).end).toEqual({ status: 'output-too-large' });
    const sandbox = nodePermissionSandbox(quiet.program);
    expect((await runInSandbox(sandbox, quiet, { ...bounds, timeoutMs: 200 }, never)).end).toEqual({
      status: 'timed-out',
    });
    expect((await runInSandbox(sandbox, quiet, bounds, AbortSignal.abort('gone'))).end).toEqual({
      status: 'canceled',
      reason: 'gone',
    });
  });
});

test('no other program runs, whatever its place is called inside', async () => {
  const own = await scriptOf('');
  const other = await scriptOf('console.log("ran")');
  const refusal = new SkillError(
    'SANDBOX_UNAVAILABLE',
    'without bubblewrap only WASM skills can run on this machine; "ambit doctor" says what is missing',
  );
  const sandbox = nodePermissionSandbox(own.program);
  const node = '/ambit/node';
  for (const command of [
    other.command,
    { ...own.command, argv: ['/bin/sh', '-c', own.program] as const },
    { ...own.command, argv: [node, '--eval', 'console.log("ran")', own.program] as const },
    { ...own.command, argv: [node, '-e', 'console.log("ran")'] as const },
  ]) {
    await expect(runInSandbox(sandbox, { command }, bounds, never)).rejects.toThrow(refusal);
  }
});
