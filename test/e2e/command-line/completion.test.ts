import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { userFolders } from '../../support/private-home.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';
import { echoingAmbit, isInstalled, typedAt } from '../support/typed-shell.ts';

const phases = [
  `odd 'q" $x`,
  'a;b&c',
  'über plan',
  'st:age=1',
  '$(touch pwned)',
  '~home',
  'back\\slash',
  '#note',
  '{c,d}',
  '=ls',
  'e!!',
  '%F{red}x',
  '(touch pwned)',
  '[x]?*',
  '^x',
  '`touch pwned`',
  '-n',
];

async function world(): Promise<{ cwd: string; bin: string }> {
  const cwd = await temporaryFolder();
  await writeFile(
    join(cwd, 'ambit.config.yaml'),
    JSON.stringify({ phases: Object.fromEntries(phases.map((name) => [name, {}])) }),
  );
  await trust(cwd);
  const skill = { acme: { 'SKILL.md': '---\nname: pdf-forms\ndescription: Fills forms.\n---\n' } };
  await writeSkills(cwd, skill);
  await ambit(['skills', 'add', 'acme'], { cwd });
  return { cwd, bin: await echoingAmbit(cwd) };
}

/** A typed line, with `\t` for the Tab key, and the words that the command gets. */
const typed: readonly [line: string, words: string][] = [
  ['ambit ru\tx', '<run><x>'],
  ['ambit run csv-\t', '<run><csv-profile>'],
  ['ambit --config ambit.config.yaml run csv-\t', '<--config><ambit.config.yaml><run><csv-profile>'],
  ['ambit run acme:\t', '<run><acme:pdf-forms>'],
  ['ambit skills approve a\t', '<skills><approve><acme:pdf-forms>'],
  ['ambit skills revoke acme:p\t', '<skills><revoke><acme:pdf-forms>'],
  ['ambit prompt --expl\t', '<prompt><--explain>'],
  ['ambit prompt --show ind\t', '<prompt><--show><index>'],
  ['ambit prompt --show=ind\t', '<prompt><--show=index>'],
  ['ambit key create x --scope skills:r\t', '<key><create><x><--scope><skills:read>'],
  ['ambit prompt --config ambit.c\t', '<prompt><--config><ambit.config.yaml>'],
  ['ambit prompt --phase od\t', `<prompt><--phase><odd 'q" $x>`],
  ['ambit prompt --phase a\\;\t', '<prompt><--phase><a;b&c>'],
  ['ambit prompt --phase ü\t', '<prompt><--phase><über plan>'],
  ['ambit prompt --phase st:a\t', '<prompt><--phase><st:age=1>'],
  ['ambit prompt --phase \\$\t', '<prompt><--phase><$(touch pwned)>'],
  ['ambit prompt --phase \\~h\t', '<prompt><--phase><~home>'],
  ['ambit prompt --phase bac\t', '<prompt><--phase><back\\slash>'],
  ['ambit prompt --phase \\#\t', '<prompt><--phase><#note>'],
  ['ambit prompt --phase \\{\t', '<prompt><--phase><{c,d}>'],
  ['ambit prompt --phase \\=\t', '<prompt><--phase><=ls>'],
  ['ambit prompt --phase e\t', '<prompt><--phase><e!!>'],
  ['ambit prompt --phase %\t', '<prompt><--phase><%F{red}x>'],
  ['ambit prompt --phase \\(\t', '<prompt><--phase><(touch pwned)>'],
  ['ambit prompt --phase \\[\t', '<prompt><--phase><[x]?*>'],
  ['ambit prompt --phase \\^\t', '<prompt><--phase><^x>'],
  ['ambit prompt --phase \\`\t', '<prompt><--phase><`touch pwned`>'],
  ['ambit prompt --phase -\t', '<prompt><--phase><-n>'],
  ["ambit prompt --phase 'od\t", `<prompt><--phase><odd 'q" $x>`],
  ['ambit prompt --phase "od\t', `<prompt><--phase><odd 'q" $x>`],
  ['ambit prompt --phase "a;\t', '<prompt><--phase><a;b&c>'],
];

/** Each Tab starts a command. */
const tried = typed.filter((_, at) => isWhole || at % 3 === 0);

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  test.skipIf(!isInstalled(shell) || !isInstalled('script'))(
    `completes typed lines, and each completion is one word with any characters (needs ${shell} and script)`,
    async () => {
      const printed = await typedAt(
        shell,
        tried.map(([line]) => line),
        await world(),
      );
      expect(tried.map(([line], index) => [line, printed[index]])).toEqual(tried);
    },
  );
});

test.skipIf(!isInstalled('fish'))('fish gets candidates with descriptions (needs fish)', async () => {
  const { cwd, bin } = await world();
  const lines = [
    'ambit ru',
    'ambit run csv-',
    'ambit skills approve a',
    'ambit skills remove acme:',
    'ambit prompt --show ',
    'ambit prompt --phase od',
    'ambit --config ambit.c',
    'ambit prompt --phase -',
  ];
  const asked = lines.map((line) => `complete -C '${line}'; echo .`).join('; ');
  const { stdout } = spawnSync('fish', ['--no-config', '-c', `ambit completion fish | source; ${asked}`], {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      LANG: 'C.UTF-8',
      ...userFolders(),
    },
  });
  expect(stdout.split('\n.\n')).toEqual([
    'run\trun a skill',
    expect.stringMatching(/^csv-profile\tProfiles .*…$/),
    'acme:pdf-forms',
    'acme:pdf-forms',
    'bodies\nindex\nmetadata',
    expect.stringMatching(/^odd \\?'q\\?" \\?\$x$/),
    'ambit.config.yaml',
    '-n',
    '',
  ]);
});

test('completes keys and calls of a daemon; without one, creates nothing to find them', async () => {
  const daemon = await startDaemon();
  const { executionId } = (await daemon.execute('text-diff', { input: { before: 'a', after: 'b' } })).body;
  const at = ['--data-dir', daemon.dataDir];
  await ambit(['key', 'create', 'bot', '--scope', 'prompt', ...at]);
  // On a busy machine, a command may not have the values in time for the prompt.
  const completed = (...words: string[]) =>
    vi.waitFor(async () => {
      const { stdout } = await ambit(['__complete', 'fish', '--', ...at, ...words, '']);
      expect(stdout).not.toBe('nothing\n');
      return stdout;
    });
  expect(await completed('audit', 'show')).toMatch(new RegExp(`\n${executionId}\ttext-diff succeeded 2`));
  expect(await completed('key', 'revoke')).toBe('nothing\nbot\tprompt\n');

  const cwd = await temporaryFolder();
  expect(await ambit(['__complete', 'fish', '--', 'audit', 'show', ''], { cwd })).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^nothing\n/),
    stderr: '',
  });
  expect(spawnSync('ls', ['-A', cwd], { encoding: 'utf8' }).stdout).toBe('');
});

test('leaves out values that cannot be read, and prints no errors at the prompt', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'ambit.config.yaml'), 'phases: [');
  const env = { AMBIT_CONFIG: 'ambit.config.yaml' };
  expect(await ambit(['__complete', 'fish', '--', 'run', ''], { cwd, env })).toEqual({
    code: 0,
    stdout: 'nothing\n',
    stderr: '',
  });
  expect(await ambit(['__complete', 'fish', '--', '--url', 'http://127.0.0.1:1', 'run', ''])).toEqual({
    code: 0,
    stdout: 'nothing\n',
    stderr: '',
  });
});
