import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { repository } from '../../support/daemon-process.ts';
import { freePort } from '../../support/free-port.ts';
import { patternOf, readmeSession } from '../support/readme-session.ts';
import { onTerminal, untilOver, untilQuiet } from '../support/terminal.ts';
import { isInstalled } from '../support/typed-shell.ts';

test.skipIf(!isInstalled('script') || !isInstalled('git'))(
  'the session in README.md runs unchanged and prints the documented output (needs script and git)',
  async () => {
    const cwd = await checkout();
    const port = await freePort();
    const session = await readmeSession();
    expect(session.map(({ command }) => command)).toContain('npm start');
    // Exports stay in effect for later commands.
    const exported: string[] = [];
    for (const { command, shows } of session) {
      if (command.startsWith('export ')) exported.push(command);
      const child = onTerminal([...exported, command].join('; '), cwd, { AMBIT_PORT: String(port) });
      const printed = await (command === 'npm start' ? untilQuiet(child, 'sed ') : untilOver(child));
      const said = printed.replaceAll(`:${port}`, ':7433');
      expect({ command, said }).toEqual({ command, said: expect.stringMatching(patternOf(shows)) });
    }
  },
);

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
  await once(spawn('sh', ['-c', git], { cwd, stdio: 'ignore' }), 'close');
  return cwd;
}
