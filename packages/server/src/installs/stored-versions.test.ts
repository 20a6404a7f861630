import { chmod, glob, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { environmentFolder, installedFolder } from '../lock/installed.ts';
import { stagingFolder, storeEnvironment, storeVersion } from './stored-versions.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  ['skill', (dataDir: string) => installedFolder(dataDir, 'acme:forms', digest)],
  ['folder of packages', (dataDir: string) => environmentFolder(dataDir, digest)],
])(
  'every user can read a stored %s that was written with the umask 077, and run its programs; only its owner can write',
  async (what, placeIn) => {
    const dataDir = await temporaryFolder();
    const staged = await stagingFolder(dataDir);
    await mkdir(join(staged, 'bin'), { mode: 0o700 });
    for (const [name, mode] of Object.entries({
      text: 0o600,
      locked: 0o400,
      'bin/run': 0o700,
      'bin/go': 0o500,
    })) {
      await writeFile(join(staged, name), '');
      await chmod(join(staged, name), mode);
    }
    const outside = join(dataDir, 'outside');
    await writeFile(outside, '', { mode: 0o600 });
    await symlink(outside, join(staged, 'link'));
    if (what === 'skill') await storeVersion(dataDir, { id: 'acme:forms', digest }, staged);
    else await storeEnvironment(dataDir, digest, staged);
    const folder = placeIn(dataDir);
    const modes = new Map<string, string>();
    for await (const path of glob('**', { cwd: folder }))
      if (path !== 'link') modes.set(path, ((await stat(join(folder, path))).mode & 0o777).toString(8));
    expect(Object.fromEntries(modes)).toEqual({
      '.': '755',
      bin: '755',
      text: '644',
      locked: '444',
      'bin/run': '755',
      'bin/go': '555',
    });
    // The target of a link belongs to another user.
    expect((await stat(outside)).mode & 0o777).toBe(0o600);
  },
);
