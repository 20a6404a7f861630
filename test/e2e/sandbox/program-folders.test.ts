// Threat model: T3, T417

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ambitWith, canUnshare } from '../support/own-mounts.ts';

/** A shell skill with granted programs. */
function shellSkill(script: string, exec: readonly string[]): Record<string, string> {
  const run = { runtime: 'process', protocol: 'command', entry: 'scripts/run.sh' };
  return {
    'ambit.yaml': JSON.stringify({ run: { ...run, capabilities: { exec: ['sh', ...exec] } } }),
    'scripts/run.sh': `#!/bin/sh\n${script}\n`,
  };
}

describe.skipIf(!canUnshare)('a program in its package folder (needs root)', () => {
  test('starts with the read-only files of its package and of no other package', async () => {
    const folder = await temporaryFolder();
    const [packages, programs] = [join(folder, 'packages'), join(folder, 'programs')];
    await mkdir(programs);
    // Two packages; a program of the first reads its own data.
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
      code: 0,
      said: '',
      printed:
        'of the package\n/usr/bin/tool: 4: cannot create /usr/libexec/first/scripts/../data: Read-only file system\nfirst\n',
    });
  });

  test('has the configuration that everyone can read, and none that is private', async () => {
    const folder = await temporaryFolder();
    await writeSkills(folder, {
      etc: {
        'open.conf': 'open\n',
        'private.conf': 'password\n',
        'mixed/a.conf': 'a\n',
        'mixed/private.conf': 'password\n',
        'whole/b.conf': 'b\n',
        'private/c.conf': 'c\n',
      },
    });
    const etc = join(folder, 'etc');
    for (const path of ['private.conf', 'mixed/private.conf']) await chmod(join(etc, path), 0o640);
    await chmod(join(etc, 'private'), 0o750);
    await symlink('mixed/a.conf', join(etc, 'link.conf'));
    await symlink('private.conf', join(etc, 'private-link.conf'));
    await symlink('..', join(etc, 'up'));
    await writeSkills(join(folder, 'skills'), {
      user: shellSkill('cd /etc/perl && find . ! -type d | LC_ALL=C sort && cat link.conf', [
        ...['perl', 'find', 'sort', 'cat'],
      ]),
    });
    await writeFile(join(folder, 'config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
    const options = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
    const listed = (prepare: string) =>
      ambitWith(`${prepare} mount --bind '${etc}' /etc/perl`, ['run', 'user', ...options], folder);
    expect(await listed('')).toEqual({
      code: 0,
      said: '',
      printed: './SKILL.md\n./link.conf\n./mixed/a.conf\n./open.conf\n./whole/b.conf\na\n',
    });
    const all = await listed(
      `chmod 644 ${etc}/private.conf ${etc}/mixed/private.conf && chmod 755 ${etc}/private &&`,
    );
    expect(all).toEqual({
      code: 0,
      said: '',
      printed:
        './SKILL.md\n./link.conf\n./mixed/a.conf\n./mixed/private.conf\n./open.conf\n./private-link.conf\n./private.conf\n./private/c.conf\n./up\n./whole/b.conf\na\n',
    });
  });

  test('is refused in a folder that is not a system package, until the folder is granted', async () => {
    const folder = await temporaryFolder();
    await writeSkills(folder, {
      tool: { 'bin/tool': `#!/bin/sh\ncat ${folder}/tool/data\n`, data: 'of the folder\n' },
    });
    const place = join(folder, 'tool');
    await chmod(join(place, 'bin/tool'), 0o755);
    await mkdir(join(folder, 'programs'));
    await symlink(join(place, 'bin/tool'), join(folder, 'programs/tool'));
    const run = { runtime: 'process', protocol: 'command', entry: 'scripts/run.sh' };
    const capabilities = { exec: ['sh', 'cat', 'tool'], filesystem: { read: [place] } };
    await writeSkills(join(folder, 'skills'), {
      without: shellSkill('tool', ['cat', 'tool']),
      with: { ...shellSkill('tool', []), 'ambit.yaml': JSON.stringify({ run: { ...run, capabilities } }) },
    });
    await chmod(folder, 0o755);
    const grants = JSON.stringify({ with: { filesystem: { read: [place] } } });
    await writeFile(
      join(folder, 'config.yaml'),
      `skills: [{ path: ./skills, tier: local }]\ngrants: ${grants}\n`,
    );
    const runs = (skill: string) => {
      const options = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
      return ambitWith(
        `mount --bind '${folder}/programs' /usr/local/bin`,
        ['run', skill, ...options],
        folder,
      );
    };
    expect(await runs('without')).toEqual({
      code: 3,
      printed: '',
      said:
        `ambit: CAPABILITY_DENIED: without needs filesystem.read ${place}, which is not granted: tool is the script ${place}/bin/tool, which may read files next to it. ` +
        `Write filesystem: { read: [${place}] } under run.capabilities in its ambit.yaml, and add to ambit.config.yaml: grants: { without: { filesystem: { read: [${place}] } } }\n` +
        'Here the configuration to edit is config.yaml. It needs no trust. To apply it to a running daemon, run: ambit config reload --config config.yaml --data-dir ' +
        `${join(folder, 'data')}\n`,
    });
    expect(await runs('with')).toEqual({ code: 0, printed: 'of the folder\n', said: '' });
    const { printed } = await ambitWith(
      'true',
      ['audit', '--json', '--config', 'config.yaml', '--data-dir', join(folder, 'data')],
      folder,
    );
    const records = JSON.parse(printed).records.map(
      (record: { skill: { id: string }; outcome: string; error?: { code: string } }) => [
        ...[record.skill.id, record.outcome, record.error?.code],
      ],
    );
    expect(records).toEqual([
      ['with', 'succeeded', undefined],
      ['without', 'denied', 'CAPABILITY_DENIED'],
    ]);
  });

  test('starts even if a folder that it would read is a dangling link', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'lib'));
    await symlink('/nowhere', join(folder, 'lib/python3.99'));
    await writeSkills(join(folder, 'skills'), {
      user: shellSkill('python3 -c "print(6 * 7)"', ['python3']),
    });
    await writeFile(join(folder, 'config.yaml'), 'skills: [{ path: ./skills, tier: local }]\n');
    const options = ['--config', 'config.yaml', '--data-dir', join(folder, 'data')];
    const ran = await ambitWith(
      `mount --bind '${folder}/lib' /usr/local/lib`,
      ['run', 'user', ...options],
      folder,
    );
    expect(ran).toEqual({ code: 0, printed: '42\n', said: '' });
  });
});
