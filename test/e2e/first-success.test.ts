import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit, repository } from '../support/daemon-process.ts';
import { startDaemon, temporaryFolder } from './support/daemon.ts';
import { consoleSession, patternOf } from './support/readme-session.ts';
import { onTerminal, untilOver } from './support/terminal.ts';
import { isInstalled } from './support/typed-shell.ts';

const path = [join(repository, 'bin'), process.env['PATH']].join(delimiter);

test.skipIf(!isInstalled('script'))(
  'the session for skill authors in docs/skills.md runs unchanged (needs script)',
  { timeout: 60_000 },
  async () => {
    const cwd = await temporaryFolder();
    for (const { command, shows } of await consoleSession('docs/skills.md')) {
      const said = await untilOver(onTerminal(command, cwd, { PATH: path }));
      expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
    }
  },
);

test.skipIf(!isInstalled('script'))(
  'the program for bot authors in docs/bots.md prints the documented output, with a key of the documented scopes (needs script)',
  { timeout: 60_000 },
  async () => {
    const { url, dataDir } = await startDaemon();
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'node_modules/@ambit'), { recursive: true });
    await symlink(join(repository, 'packages/client'), join(cwd, 'node_modules/@ambit/client'));
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
