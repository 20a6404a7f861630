// Each test starts a daemon of its own: a session is about a new project.

import { execFile } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { consoleSession, patternOf, type ShownCommand } from '../support/documented-session.ts';
import { onTerminal, untilOver, untilQuiet } from '../support/terminal.ts';
import { isInstalled } from '../support/typed-shell.ts';

const path = [join(repository, 'bin'), process.env['PATH']].join(delimiter);

test.skipIf(!isInstalled('script') || !isInstalled('git'))(
  'the session in README.md runs unchanged and prints the documented output (needs script and git)',
  async () => {
    const cwd = await checkout();
    const home = await realpath(await temporaryFolder());
    const own = { XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local/share') };
    const port = await freePort();
    const session = await consoleSession('README.md');
    expect(session.map(({ command }) => command)).toContain('npm start');
    // Exports stay in effect for later commands.
    const exported: string[] = [];
    for (const { command, shows } of session) {
      if (command.startsWith('export ')) exported.push(command);
      const child = onTerminal([...exported, command].join('; '), cwd, {
        HOME: home,
        ...own,
        AMBIT_PORT: String(port),
      });
      const printed = await (command === 'npm start' ? untilQuiet(child, 'sed ') : untilOver(child));
      const said = printed.replaceAll(`:${port}`, ':7433');
      expectSession({ command, shows }, said);
    }
  },
);

test.skipIf(!isInstalled('script'))(
  'the session for skill authors in docs/skills.md runs unchanged (needs script)',
  async () => {
    const cwd = await temporaryFolder();
    for (const { command, shows } of await consoleSession('docs/skills.md')) {
      const said = await untilOver(onTerminal(command, cwd, { PATH: path }));
      expectSession({ command, shows }, said);
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
      expectSession({ command, shows }, said);
    }
  },
);

/** Expects the output that the page shows. */
function expectSession({ command, shows }: ShownCommand, said: string): void {
  expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
}

/** A clone of the repository in another folder, with a single commit. */
async function checkout(): Promise<string> {
  const cwd = await temporaryFolder();
  // If this user is root, skills run as another user.
  await chmod(cwd, 0o755);
  for (const name of readdirSync(repository))
    if (!['.git', '.ambit', 'ambit.config.yaml'].includes(name))
      symlinkSync(join(repository, name), join(cwd, name));
  const git =
    'git init -q . && git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m First';
  await promisify(execFile)('sh', ['-c', git], { cwd });
  return cwd;
}
