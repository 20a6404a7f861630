import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findHostProgram } from '../../packages/runtime/src/index.ts';
import { writeSkills } from '../support/skills.ts';
import { startDaemon, temporaryFolder } from './support/daemon.ts';
import { ambitWith, canUnshare } from './support/own-mounts.ts';

/** A shell skill that is granted programs. */
function shellSkill(script: string, exec: readonly string[]): Record<string, string> {
  const run = { runtime: 'process', protocol: 'command', entry: 'scripts/run.sh' };
  return {
    'ambit.yaml': JSON.stringify({ run: { ...run, capabilities: { exec: ['sh', ...exec] } } }),
    'scripts/run.sh': `#!/bin/sh\n${script}\n`,
  };
}

describe.skipIf(!canUnshare)('a program in the folder of its package (needs root)', () => {
  test('starts with what lies beside it there, which it cannot change, and no other package comes along', async () => {
    const folder = await temporaryFolder();
    const [packages, programs] = [join(folder, 'packages'), join(folder, 'programs')];
    await mkdir(programs);
    // Two packages, and a program of the first that reads its own data.
    const tool = '#!/bin/sh\nhere="$(dirname "$(readlink -f "$0")")"\ncat "$here/../data"\n';
    await writeSkills(packages, {
      first: {
        'scripts/tool': `${tool}echo x > "$here/../data"\nls /usr/libexec\n`,
        data: 'of the package\n',
      },
      second: { data: 'of another\n' },
    });
    await symlink('/usr/libexec/first/scripts/tool', join(programs, 'tool'));
    await writeSkills(join(folder, 'skills'), {
      user: shellSkill('tool 2>&1', ['tool', 'dirname', 'readlink', 'cat', 'ls']),
    });
    await writeFile(join(folder, 'config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
    const prepare = `mount --bind '${programs}' /usr/local/bin && mount --bind '${packages}' /usr/libexec`;
    const options = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
    const ran = await ambitWith(prepare, ['run', 'user', ...options], folder);
    expect(ran).toEqual({
      ...{ code: 0, said: '' },
      printed:
        'of the package\n/usr/bin/tool: 4: cannot create /usr/libexec/first/scripts/../data: Read-only file system\nfirst\n',
    });
  });
});

test.each(
  [
    { program: 'java', exec: ['java'], script: 'java -version 2>&1', prints: /^openjdk version / },
    { program: 'npm', exec: ['npm', 'node', 'env'], script: 'npm --version', prints: /^\d+\.\d+\.\d+\n$/ },
  ].filter(({ exec }) => exec.every((name) => findHostProgram(name) !== undefined)),
)('$program starts inside', async ({ exec, script, prints }) => {
  const skills = await temporaryFolder();
  await writeSkills(skills, { user: shellSkill(script, exec) });
  const daemon = await startDaemon({ skills: [{ path: skills, tier: 'local' }] });
  const { body } = await daemon.execute('user', {});
  expect(body.outcome).toMatchObject({
    status: 'succeeded',
    output: { stdout: expect.stringMatching(prints) },
  });
});
