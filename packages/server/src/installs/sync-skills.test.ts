// Threat model: T144

import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readVersion } from './stored-versions.ts';
import { project, refusal, skillMd } from './testing/installer-project.ts';

describe('syncing', () => {
  test('fetches damaged, replaced and missing versions, and removes what the lock file does not list', async () => {
    const { add, write, installs, requester, config } = await project();
    await write({ 'a/SKILL.md': skillMd('a'), 'b/SKILL.md': skillMd('b') });
    await add();
    const versions = (await installs.list()).map(({ id, digest }) => ({ id, digest }));
    const folders = versions.map(({ id, digest }) =>
      join(config.dataDir, 'installs/acme', digest.slice(7), id.split(':')[1] ?? ''),
    );
    const [first = '', second = '', third = ''] = folders;
    await chmod(first, 0o755);
    await writeFile(join(first, 'more.txt'), 'more');
    await chmod(second, 0o755);
    await rm(second, { recursive: true });
    await symlink(third, second);
    await mkdir(join(config.dataDir, 'installs/acme/unlisted'), { recursive: true });
    const frozen = installs.sync({ frozen: true }, requester);
    expect(await refusal(frozen)).toBe('LOCK_MISMATCH');
    const { skills } = await installs.sync({ frozen: false }, requester);
    expect(skills.map(({ id, change }) => [id, change])).toEqual([
      ['acme:a', 'fetched'],
      ['acme:b', 'fetched'],
    ]);
    for (const version of versions)
      expect(await readVersion(config.dataDir, version)).toMatchObject({ digest: version.digest });
    expect(await readdir(join(config.dataDir, 'installs/acme'))).toHaveLength(3);
    expect((await installs.sync({ frozen: true }, requester)).skills).toEqual([]);
  });

  test('fails, and changes nothing, if a source no longer has a version', async () => {
    const { add, write, installs, requester, config, lock } = await project();
    await add();
    const before = await lock();
    await write({ 'docx/SKILL.md': skillMd('docx', 'second') });
    await rm(join(config.dataDir, 'installs'), { recursive: true });
    expect(await refusal(installs.sync({ frozen: false }, requester))).toBe('LOCK_MISMATCH');
    expect(await lock()).toEqual(before);
  });
});
