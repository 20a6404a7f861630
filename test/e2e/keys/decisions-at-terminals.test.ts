// Threat model: T218

import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit, repository, trust } from '../../support/daemon-process.ts';
import { deciding } from '../../support/deciding-commands.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { onTerminal, untilOver } from '../support/terminal.ts';
import { isInstalled } from '../support/typed-shell.ts';

/** A path with `ambit` itself: `bin/ambit` first looks whether anything has to be installed. */
async function pathWithAmbit(): Promise<string> {
  const folder = await temporaryFolder();
  const main = join(repository, 'packages/cli/src/ambit.mjs');
  await writeFile(join(folder, 'ambit'), `#!/bin/sh\nexec node ${main} "$@"\n`, { mode: 0o755 });
  return [folder, process.env['PATH']].join(delimiter);
}

/** Shows how a command leads a person to a decision at a terminal, and what an agent without one gets. */
async function both(cwd: string, path: string, line: string) {
  const { stdout, stderr } = await ambit(line.split(' '), { cwd, isTyped: false });
  const plain = `${stdout}${stderr}`;
  const said = await untilOver(onTerminal(`ambit ${line}`, cwd, { PATH: path }));
  return {
    line,
    withoutTerminal: deciding.exec(plain)?.[0],
    isOfPerson: /person decides|operator of the daemon/i.test(plain),
    atTerminal: deciding.exec(said.replaceAll('\n', ' '))?.[0],
  };
}

const script = '#!/bin/sh\necho "$TZ"\n';
const sidecar = JSON.stringify({
  run: {
    runtime: 'process',
    entry: 'scripts/run.sh',
    protocol: 'command',
    capabilities: { exec: ['sh', '@posix'], env: ['TZ'] },
  },
});

test.skipIf(!isInstalled('script'))(
  'messages name a command that decides at a terminal, and without one say that a person decides (needs script)',
  async () => {
    const [cwd, path] = [await temporaryFolder(), await pathWithAmbit()];
    const found: Awaited<ReturnType<typeof both>>[] = [];
    const check = async (line: string) => void found.push(await both(cwd, path, line));
    await writeSkills(cwd, {
      mine: { 'ambit.yaml': sidecar, 'scripts/run.sh': script },
      forms: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' },
    });
    await check('run mine');
    await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./mine, tier: local }]\n');
    await check('run mine');
    await check('run mine --json');
    await check('doctor --json');
    await check('trust --review 0000000000000000');
    await trust(cwd);
    await check('run mine');
    await check('skills propose mine');
    await check('skills list --url http://127.0.0.1:1');
    expect(await ambit(['skills', 'add', './forms', '--namespace', 'acme'], { cwd })).toMatchObject({
      code: 0,
    });
    await check('skills show acme:forms');
    await check('skills review acme:forms');
    expect(await ambit(['skills', 'revoke', 'acme:forms', '--reason', 'x'], { cwd })).toMatchObject({
      code: 0,
    });
    await check('skills review acme:forms');
    expect(found).toEqual(
      found.map(({ line }) => ({
        line,
        withoutTerminal: undefined,
        isOfPerson: true,
        atTerminal: expect.stringMatching(deciding),
      })),
    );
    // A script that a person wrote still gets the name of what it read.
    const { stdout } = await ambit(['skills', 'review', 'acme:forms', '--json'], { cwd });
    expect(JSON.parse(stdout).review).toMatch(/^[0-9a-f]{16}$/);

    const plain = async (...args: string[]) => {
      const { stdout: printed, stderr } = await ambit(args, { cwd, isTyped: false });
      return [args, deciding.exec(`${printed}${stderr}`)?.[0], /person decides/i.test(stderr)];
    };
    // At a terminal, these ask or decide.
    await writeFile(join(cwd, 'ambit.config.yaml'), 'skills: [{ path: ./mine, tier: local }]\n\n');
    for (const args of [['trust'], ['trust', '--yes'], ['skills', 'approve', 'acme:forms']])
      expect(await plain(...args)).toEqual([args, undefined, true]);
    await trust(cwd);
    for (const args of [
      ['skills', 'approve', 'acme:forms'],
      ['skills', 'propose', 'mine', '--write'],
      ['grant', 'mine', '--env', 'LANG'],
    ])
      expect(await plain(...args)).toEqual([args, undefined, true]);
  },
);
