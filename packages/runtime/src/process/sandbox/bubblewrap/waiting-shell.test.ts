// Threat model: T263, T264

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts';
import { canSend, execBubblewrap, waitingShell } from './waiting-shell.ts';

test('a waiting shell whose pipe does not take all options immediately is not used', async () => {
  const entry = { script: 'exec "$@"', files: [], firstAfter: 5, close: () => undefined };
  const program = waitingShell('/bin/false', { entry, files: [], user: undefined, settings: {} as never });
  const call = { options: ['x'.repeat(4 * 1024 * 1024)], env: {}, argv: ['a'] };
  expect(await execBubblewrap(program, call)).toBe(false);
  program.kill();
  await program.ended;
});

test('options with a NUL, which would end an option early, need a new process', () => {
  const call = { options: ['--chdir', '/'], env: { A: 'b' }, argv: ['a'] };
  expect(canSend(call)).toBe(true);
  expect(canSend({ ...call, options: ['--chdir', '/\0--bind\0/\0/host'] })).toBe(false);
  expect(canSend({ ...call, env: { A: 'b\0--bind\0/\0/host' } })).toBe(false);
});

test.each([
  ['nothing', '', false],
  ['a part of its command', '=a\n', false],
  ['a line that it does not know', '=a\nb\n.\n', false],
  ['its command, without the end of the last line', '=a\n.', false],
  ['its command', '=a\n.\n', true],
])('a waiting process that reads %s runs it only if it is a whole command', async (_, text, runs) => {
  const folder = await temporaryFolder();
  const [file, ran] = [join(folder, 'bwrap'), join(folder, 'ran')];
  await writeFile(file, `#!/bin/sh\necho "$*" > ${ran}\n`);
  await chmod(file, 0o755);
  const entry = { script: 'exec "$@"', files: [], firstAfter: 5, close: () => undefined };
  const settings = {} as never;
  const program = waitingShell(file, { entry, files: [], user: undefined, settings });
  for (const stream of [program.stdout, program.stderr, program.control]) stream.resume();
  program.stdin.end(text);
  expect(await program.ended).toEqual({ exitCode: runs ? 0 : 1 });
  const got = await readFile(ran, 'utf8').catch(() => undefined);
  expect(got).toBe(runs ? '--args 5 -- /ambit/launcher a\n' : undefined);
});
