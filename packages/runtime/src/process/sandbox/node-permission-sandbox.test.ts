// Threat model: T184

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { nodePermissionSandbox } from './node-permission-sandbox.ts';
import { runInSandbox } from './run-in-sandbox.ts';
import type { SandboxedCommand, SandboxedRun } from './sandbox.ts';

const never = new AbortController().signal;
const bounds = { stdin: new TextEncoder().encode('in'), timeoutMs: 60_000, outputBytes: 1000 };

/** A script in its own folder, and the command that runs it in its sandbox. */
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

async function outputOf(body: string): Promise<unknown> {
  const { program, command } = await scriptOf(body);
  const { stdout, end }: SandboxedRun = await runInSandbox(
    nodePermissionSandbox(program),
    { command },
    bounds,
    never,
  );
  return end.status === 'exited' && end.exitCode === 0 ? new TextDecoder().decode(stdout) : end;
}

describe('the permitted program', () => {
  test('the program reads its stdin, its folder and its arguments, at their host paths', async () => {
    const read =
      'import { readFileSync } from "node:fs"; console.log(readFileSync(0, "utf8"), readFileSync(process.argv[2], "utf8"))';
    expect(await outputOf(read)).toBe('in beside\n');
  });

  test('the program gets only the given environment', async () => {
    process.env['AMBIT_TEST_CANARY'] = 'canary';
    expect(await outputOf('console.log(JSON.stringify(process.env))')).toBe('{"GIVEN":"yes"}\n');
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
  ])('the program cannot %s', async (_, attempt) => {
    expect(
      await outputOf(
        `${attempt}\ntry { attempt(); console.log("did") } catch (error) { console.log(error.code) }`,
      ),
    ).toMatch(/^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)\n$/);
  });

  test('the deadline, the output limit and the caller each end the program', async () => {
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

test('no other program runs, whatever its path inside', async () => {
  const own = await scriptOf('');
  const other = await scriptOf('console.log("ran")');
  const refusal = new SkillError(
    'SANDBOX_UNAVAILABLE',
    'without bubblewrap, only WASM skills can run; run "ambit doctor" to see what is missing',
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
