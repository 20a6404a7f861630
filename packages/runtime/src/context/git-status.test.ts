// Threat model: T97

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { hostProgram } from '../process/programs/host-program.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import { writeFiles } from '../testing/skill-on-disk.ts';
import type { ContextLocation } from './context-location.ts';
import { gatherContext } from './gather-context.ts';

const sandbox = bubblewrapSandbox();

async function status(root: string, place: Partial<ContextLocation> = {}): Promise<string | null> {
  const { gitStatus, errors } = await gatherContext([{ type: 'git_status' }], { root, sandbox, ...place });
  return errors[0]?.message ?? gitStatus;
}

function git(folder: string, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=a@example.com', ...args],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' },
    },
  );
}

/** A repository that the sandbox's user can read. */
async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const root = join(folder, 'repository');
  await mkdir(root);
  git(root, 'init', '--quiet', '-b', 'main');
  await writeFiles(root, files);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'One');
  return root;
}

test('lists the status of a repository in lines, and a clean one as empty', async () => {
  const root = await repository({ a: '1\n', b: '1\n', 'sub/c': '1\n' });
  expect(await status(root)).toBe('');

  await writeFiles(root, { a: '2\n', 'new/x': '', 'naïve "file".md': '', 'line\nbreak': '' });
  await rm(join(root, 'b'));
  git(root, 'add', 'a');
  expect(await status(root)).toBe('M  a\n D b\n?? "line\\nbreak"\n?? "naïve \\"file\\".md"\n?? new/\n');
});

test('reports a folder that is not a repository itself', async () => {
  const root = await repository({ 'sub/c': '1\n' });
  expect(await status(join(root, 'sub'))).toBe('the project is not a git repository: it has no .git');
  await mkdir(join(root, 'sub/.git'));
  expect(await status(join(root, 'sub'))).toMatch(/^git status failed: not a git repository: '.\/.git'/);
});

test('truncates a long status at a line and reports that', async () => {
  const root = await repository({ a: '1\n' });
  await writeFiles(root, Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`untracked-${i}`, ''])));
  const limits = { fileBytes: 4096 };
  const { gitStatus, errors } = await gatherContext([{ type: 'git_status' }], { root, sandbox, limits });
  expect(errors).toEqual([{ source: 'git_status', message: 'truncated: it is longer than 4096 bytes' }]);
  expect(gitStatus).toMatch(/^(\?\? untracked-\d+\n)+$/);
});

test("hides Ambit's own files from git", async () => {
  const root = await repository({ a: '1\n' });
  await writeFiles(root, { 'data/key': 'k\n' });
  expect(await status(root)).toBe('?? data/\n');
  expect(await status(root, { hidden: [join(root, 'data'), '/nonexistent', root] })).not.toContain('key');
});

/** Settings of a hostile repository, which a plain `git status` runs. */
const hostile: readonly (readonly [string, (root: string, bait: string) => Promise<void>])[] = [
  ['core.fsmonitor', async (root, bait) => void git(root, 'config', 'core.fsmonitor', bait)],
  ['filter.x.clean', (root, bait) => filter(root, 'filter.x.clean', bait)],
  ['filter.x.process', (root, bait) => filter(root, 'filter.x.process', bait)],
  [
    'a filter with dots and an equals sign',
    (root, bait) => filter(root, 'filter.a.b=c.clean', bait, 'a.b=c'),
  ],
  [
    'core.hooksPath',
    async (root, bait) => {
      await mkdir(join(root, '.git/baited'));
      await symlink(bait, join(root, '.git/baited/post-index-change'));
      git(root, 'config', 'core.hooksPath', join(root, '.git/baited'));
      await utimes(join(root, 'untouched'), 1, 1);
    },
  ],
];

async function filter(root: string, key: string, bait: string, name = 'x'): Promise<void> {
  await writeFiles(root, { '.git/info/attributes': `* filter=${name}\n` });
  git(root, 'config', key, bait);
  await utimes(join(root, 'a'), 1, 1);
}

test.each(hostile)(
  'runs nothing from %s of the repository, where a plain git status runs it',
  async (_, arrange) => {
    const root = await repository({ a: '1\n', untouched: '' });
    const [marker, bait] = [join(root, '.git/ran'), join(root, '.git/bait')];
    await writeFile(bait, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    await writeFiles(root, { a: '2\n' });
    await arrange(root, bait);
    await rm(marker, { force: true });

    expect(await status(root)).toBe(' M a\n');
    // Also with a sandbox that would allow it, because git itself does not run it.
    execFileSync('chmod', ['-R', 'a+rwX', root]);
    expect(await status(root, { sandbox: permissiveSandbox(root) })).toBe(' M a\n');
    expect(existsSync(marker)).toBe(false);
    await status(root, { sandbox: permissiveSandbox(root, ['GIT_CONFIG_COUNT', 'GIT_OPTIONAL_LOCKS']) });
    expect(existsSync(marker)).toBe(true);
  },
);

/**
 * A sandbox that contains a shell and a writable repository, where git starts without some of its
 * environment.
 */
function permissiveSandbox(root: string, without: readonly string[] = []): Sandbox {
  const [shell, touch] = [hostProgram('sh'), hostProgram('touch')];
  const open = { source: root, writable: true };
  return {
    ...sandbox,
    start: (command, limits) =>
      sandbox.start(
        {
          ...command,
          env: Object.fromEntries(Object.entries(command.env).filter(([name]) => !without.includes(name))),
          mounts: [
            ...[...command.mounts.filter(({ source }) => source !== root), ...shell.mounts, ...touch.mounts],
            ...[
              { ...open, target: '/repository' },
              { ...open, target: root },
            ],
          ],
          links: { ...command.links, ...shell.links, ...touch.links, '/bin': 'usr/bin' },
        },
        limits,
      ),
  };
}

test('does not follow a work tree or git folder elsewhere', async () => {
  const root = await repository({ a: '1\n' });
  git(root, 'config', 'core.worktree', '/etc');
  expect(await status(root)).toBe('');

  const worktree = join(root, '..', 'worktree');
  git(root, 'config', '--unset', 'core.worktree');
  git(root, 'worktree', 'add', '--quiet', worktree);
  expect(await status(worktree)).toMatch(/^git config failed: not a git repository/);
  expect(await status(root)).toBe('');
});

test('returns no status without a sandbox, and runs nothing', async () => {
  const root = await repository({ a: '1\n' });
  const message = 'bwrap did not start';
  const missing = { ...sandbox, start: () => Promise.reject(new SkillError('SANDBOX_UNAVAILABLE', message)) };
  expect(await status(root, { sandbox: missing })).toBe(message);
  expect(await status(root, { sandbox: undefined })).toBe(
    'git runs only in a sandbox, which is unavailable here',
  );
});

test('ends a git process that takes too long', async () => {
  const root = await repository({ a: '1\n' });
  expect(await status(root, { limits: { timeoutMs: 1 } })).toBe('git config was stopped: timed-out');
});
