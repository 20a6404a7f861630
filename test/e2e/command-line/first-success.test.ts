import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { consoleSession, patternOf } from '../support/readme-session.ts';
import { onTerminal, untilOver } from '../support/terminal.ts';
import { isInstalled } from '../support/typed-shell.ts';

const path = [join(repository, 'bin'), process.env['PATH']].join(delimiter);

test.skipIf(!isInstalled('script'))(
  'the session for skill authors in docs/skills.md runs unchanged (needs script)',
  async () => {
    const cwd = await temporaryFolder();
    for (const { command, shows } of await consoleSession('docs/skills.md')) {
      const said = await untilOver(onTerminal(command, cwd, { PATH: path }));
      expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
    }
  },
);

test('the chain in docs/skills.md runs unchanged with the skill of the quick start', async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'skills'));
  const page = await readFile(join(repository, 'docs/skills.md'), 'utf8');
  const chains = page.slice(page.indexOf('\n## Chains\n'));
  const [, commands = ''] = /```sh\n(mkdir [\s\S]*?)```/.exec(chains) ?? [];
  const [, request = ''] = /-d '(.*)'$/m.exec(chains) ?? [];
  const [, output = ''] = /The `output` is `(.*?)`/.exec(chains) ?? [];
  await ambit(['skills', 'new', 'word-count', '--runtime', 'process'], { cwd });
  await promisify(execFile)('sh', ['-ec', commands], { cwd });
  const daemon = await startDaemon({ skills: [{ path: join(cwd, 'skills'), tier: 'local' }] });
  const { status, body } = await daemon.request('POST', '/chain', { body: JSON.parse(request) });
  expect({ status, outcome: body.outcome }).toEqual({
    status: 200,
    outcome: { status: 'succeeded', output: JSON.parse(output) },
  });
});

test.skipIf(!isInstalled('script'))(
  'the program for bot authors in docs/bots.md prints the documented output, with a key of the documented scopes (needs script)',
  async () => {
    const { url, dataDir } = await startDaemon();
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'node_modules/@ambit'), { recursive: true });
    for (const name of ['ai', 'client'])
      await symlink(join(repository, 'packages', name), join(cwd, 'node_modules/@ambit', name));
    const page = await readFile(join(repository, 'docs/bots.md'), 'utf8');
    await writeFile(join(cwd, 'bot.mjs'), /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '');

    const [, scopes = ''] = /ambit key create my-bot ((?:--scope \S+ )+)/.exec(page) ?? [];
    const made = await ambit(['key', 'create', 'my-bot', ...scopes.trim().split(' '), '--data-dir', dataDir]);
    await writeFile(join(cwd, 'key'), made.stdout, { mode: 0o600 });

    for (const { command, shows } of await consoleSession('docs/bots.md')) {
      const there = command.replace('http://127.0.0.1:7433', url);
      const said = await untilOver(onTerminal(there, cwd));
      expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
    }
  },
);
