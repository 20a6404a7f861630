import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the commit-msg hook', () => {
  test.each([
    [
      'egress: refuse CONNECT to a second host',
      'egress: refused CONNECT to a second host',
      notImperative('refused'),
    ],
    ['Add a check of wording', 'Adding a check of wording', notImperative('Adding')],
    ['mcp, doctor: name the tier', 'mcp, doctor: names the tier', notImperative('names')],
    ['threat model: embed the table', 'threat model: the table', notImperative('the')],
    [`add ${'x'.repeat(68)}`, `add ${'x'.repeat(69)}`, 'The subject has 73 characters. Use at most 72.'],
    ['add a file\n\nThe body says why.', 'add a file.', 'The subject ends with a full stop. Delete it.'],
    [
      'add a file',
      'add a file\nThe body says why.',
      'The second line is not blank. Put a blank line below the subject.',
    ],
    [
      'rename `told` to `event`',
      'add a file\n\nThe client is\ntold.',
      'The message has "told". Instead: reports, logs, emits, receives; an event.',
    ],
    [
      'add a file # 2',
      '# Please enter the commit message',
      'The subject is empty. Write one, such as: egress: refuse CONNECT to a second host',
    ],
  ])('accepts %j, and refuses %j', (good, bad, problem) => {
    const { commit } = repository();
    expect(commit(good)).toEqual({ accepted: true, problems: [] });
    expect(commit(bad)).toEqual({ accepted: false, problems: [`- ${problem}`] });
  });

  test.each(['fixup! The door', 'squash! The door', 'Revert "The door"', "Merge branch 'door'"])(
    'lets "%s" through',
    (subject) => {
      expect(repository().commit(subject)).toEqual({ accepted: true, problems: [] });
    },
  );

  test('accepts the subjects that git writes for a merge and a revert', () => {
    const { folder, commit, git } = repository();
    commit('add a file');
    git('switch', '-c', 'side');
    writeFileSync(join(folder, 'second'), '');
    git('add', 'second');
    commit('add a second file');
    git('switch', '-');
    commit('add a third file');
    git('merge', '--no-ff', '--no-edit', 'side');
    git('revert', '--no-edit', 'side');
    expect(git('log', '-2', '--format=%s')).toEqual('Revert "add a second file"\nMerge branch \'side\'\n');
  });

  test('is off until it is turned on', () => {
    const { commit, git } = repository();
    git('config', '--unset', 'core.hooksPath');
    expect(commit('The door.')).toEqual({ accepted: true, problems: [] });
  });
});

function notImperative(word: string): string {
  return `"${word}" is not an imperative. Begin with a verb, such as add, fix or remove.`;
}

/** A repository with the hook turned on. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-hook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'A'],
        [`GIT_${who}_EMAIL`, 'a@example.com'],
      ]),
    ),
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '--quiet');
  git('config', 'core.hooksPath', join(root, 'scripts/hooks'));
  const commit = (message: string) => {
    const args = ['commit', '--allow-empty', '--quiet', '-m', message];
    const { status, stderr } = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' });
    return { accepted: status === 0, problems: stderr.split('\n').filter((line) => line.startsWith('- ')) };
  };
  return { folder, git, commit };
}
