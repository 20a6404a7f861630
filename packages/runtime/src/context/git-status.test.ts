import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { hostProgram } from '../process/host-program.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap-sandbox.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import { temporaryFolder, writeFiles } from '../testing/skill-on-disk.ts';
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

/** A repository that whoever git is in the sandbox can read. */
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

test('the status of a repository is told in lines, and a clean one is empty', async () => {
  const root = await repository({ a: '1\n', b: '1\n', 'sub/c': '1\n' });
  expect(await status(root)).toBe('');

  await writeFiles(root, { a: '2\n', 'new/x': '', 'naïve "file".md': '', 'line\nbreak': '' });
  await rm(join(root, 'b'));
  git(root, 'add', 'a');
  expect(await status(root)).toBe('M  a\n D b\n?? "line\\nbreak"\n?? "naïve \\"file\\".md"\n?? new/\n');
});

test('a folder that is no repository of its own is told from one', async () => {
  const root = await repository({ 'sub/c': '1\n' });
  expect(await status(join(root, 'sub'))).toBe(
    'the project is no git repository: there is no .git in its own folder',
  );
  await mkdir(join(root, 'sub/.git'));
  expect(await status(join(root, 'sub'))).toMatch(/^git status failed: not a git repository: '.\/.git'/);
});

test('a status that is too long is cut at a line, and that is said', async () => {
  const root = await repository({ a: '1\n' });
  await writeFiles(root, Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`untracked-${i}`, ''])));
  const limits = { fileBytes: 4096 };
  const { gitStatus, errors } = await gatherContext([{ type: 'git_status' }], { root, sandbox, limits });
  expect(errors).toEqual([{ source: 'git_status', message: 'cut: it is longer than 4096 bytes' }]);
  expect(gitStatus).toMatch(/^(\?\? untracked-\d+\n)+$/);
});

test("what is Ambit's own is not seen by git", async () => {
  const root = await repository({ a: '1\n' });
  await writeFiles(root, { 'data/key': 'k\n' });
  expect(await status(root)).toBe('?? data/\n');
  expect(await status(root, { hidden: [join(root, 'data'), '/nonexistent', root] })).not.toContain('key');
});

/** What a hostile repository sets, and what a plain `git status` then runs. */
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
  '%s of the repository runs nothing, where a plain git status runs it',
  async (_, arrange) => {
    const root = await repository({ a: '1\n', untouched: '' });
    const [marker, bait] = [join(root, '.git/ran'), join(root, '.git/bait')];
    await writeFile(bait, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    await writeFiles(root, { a: '2\n' });
    await arrange(root, bait);
    await rm(marker, { force: true });

    expect(await status(root)).toBe(' M a\n');
    // Where walls would not keep it from being run, it is still git that does not.
    execFileSync('chmod', ['-R', 'a+rwX', root]);
    expect(await status(root, { sandbox: laidOpen(root) })).toBe(' M a\n');
    expect(existsSync(marker)).toBe(false);
    await status(root, { sandbox: laidOpen(root, ['GIT_CONFIG_COUNT', 'GIT_OPTIONAL_LOCKS']) });
    expect(existsSync(marker)).toBe(true);
  },
);

/** The sandbox with a shell in it and the repository writable, where git is started without some of its environment. */
function laidOpen(root: string, without: readonly string[] = []): Sandbox {
  const [shell, touch] = [hostProgram('sh'), hostProgram('touch')];
  const open = { source: root, writable: true };
  return {
    ...sandbox,
    start: (command, ceilings) =>
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
        ceilings,
      ),
  };
}

test('a work tree or a git folder elsewhere is not followed', async () => {
  const root = await repository({ a: '1\n' });
  git(root, 'config', 'core.worktree', '/etc');
  expect(await status(root)).toBe('');

  const worktree = join(root, '..', 'worktree');
  git(root, 'config', '--unset', 'core.worktree');
  git(root, 'worktree', 'add', '--quiet', worktree);
  expect(await status(worktree)).toMatch(/^git config failed: not a git repository/);
  expect(await status(root)).toBe('');
});

test('without a sandbox there is no status, and nothing has run', async () => {
  const root = await repository({ a: '1\n' });
  const message = 'bwrap did not start';
  const missing = { ...sandbox, start: () => Promise.reject(new SkillError('SANDBOX_UNAVAILABLE', message)) };
  expect(await status(root, { sandbox: missing })).toBe(message);
  expect(await status(root, { sandbox: undefined })).toBe(
    'git is only run in a sandbox, and there is none here',
  );
});

test('a git that takes too long is ended', async () => {
  const root = await repository({ a: '1\n' });
  expect(await status(root, { limits: { timeoutMs: 1 } })).toBe('git config was stopped: timed-out');
});
