import { chmod, chown, lchown, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { foundFile } from './foreign-file.ts';
import { loadConfig } from './load-config.ts';
import { fileIssuesIn, sources } from './testing/config-sources.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

describe.runIf(process.getuid?.() === 0)('a file that nobody named, of another user (needs root)', () => {
  const other = 12_345;
  /** A folder with such a file, and the file. */
  async function foreign(mode: number): Promise<{ cwd: string; file: string }> {
    const cwd = await temporaryFolder({ 'ambit.config.yaml': 'logLevel: warn' });
    const file = join(cwd, 'ambit.config.yaml');
    await chmod(cwd, mode);
    await chown(file, other, other);
    return { cwd, file };
  }

  test('is not read in a folder where anybody can put files, unless it is named, nor through a link of theirs', async () => {
    const { cwd, file } = await foreign(0o1777);
    const refused = [
      expect.stringMatching(/^it belongs to another user, in a folder where anybody can put files/),
    ];
    expect(await fileIssuesIn(cwd)).toEqual(refused);
    expect((await loadConfig(sources(cwd, { flags: { config: file } }))).logLevel).toBe('warn');
    await rename(file, `${file}.own`);
    await chown(`${file}.own`, 0, 0);
    await symlink(`${file}.own`, file);
    await lchown(file, other, other);
    expect(await fileIssuesIn(cwd)).toEqual(refused);
    await lchown(file, 0, 0);
    expect((await loadConfig(sources(cwd))).logLevel).toBe('warn');
  });

  test('is read in a folder where only its owner can', async () => {
    const { cwd } = await foreign(0o755);
    expect((await loadConfig(sources(cwd))).logLevel).toBe('warn');
  });
  test('of a link of theirs that leads nowhere yet, nothing is read', async () => {
    const { cwd, file } = await foreign(0o1777);
    await rename(file, `${file}.own`);
    await symlink(join(cwd, 'none'), file);
    expect([await foundFile(file), (await loadConfig(sources(cwd))).file]).toEqual(['none', undefined]);
    await chmod(cwd, 0o755);
    expect(await foundFile(file)).toBe('usable');
  });
});
